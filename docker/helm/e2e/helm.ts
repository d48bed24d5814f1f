import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { workspaceRoot } from '@workspace/testing';

/** Text of a file of the workspace. */
export const read = (path: string): string => readFileSync(join(workspaceRoot, path), 'utf8');

export const CHART = resolve('three-services');
/** The example values, by file name. */
export const EXAMPLES = readdirSync(join(CHART, 'values'));
/** What every installation has to set. */
export const REQUIRED = ['--set', 'image.registry=ghcr.io/example', '--set', 'domain=example.com'];
/** Flags that take example values. */
export const example = (...names: string[]): string[] =>
  names.flatMap((name) => ['--values', join(CHART, 'values', name)]);

export interface Container {
  name: string;
  image: string;
  command?: string[];
  ports: { name: string; containerPort: number }[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  lifecycle: { preStop: { sleep: { seconds: number } } };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  securityContext: unknown;
  resources: { requests: { cpu: string | number } };
}
export interface Pod {
  terminationGracePeriodSeconds: number;
  securityContext: unknown;
  initContainers?: Container[];
  containers: [Container];
  volumes?: { name: string; persistentVolumeClaim?: { claimName: string } }[];
}
type Labels = Record<string, string>;
export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string; labels: Labels };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test knows the kind that it asks for
  spec: any;
  data?: Record<string, string>;
}

const printed = (command: string, ...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(join(workspaceRoot, 'docker/tools', command), args, {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`docker/tools/${command}: ${stderr}`);
  return stdout.trim();
};
const paths = new Map<string, string>();
/** The path of a program that docker/tools/program builds on first use. */
export const program = (name: string): string => {
  const path = paths.get(name) ?? printed('program', name);
  paths.set(name, path);
  return path;
};
let schemas: string | undefined;
/** The folder of the schemas that docker/tools/kubernetes-schemas.js makes on first use. */
export const schemasFolder = (): string => (schemas ??= printed('kubernetes-schemas.js'));

export interface Outcome {
  status: number | null;
  output: string;
}
export const helm = (...args: string[]): Outcome => {
  const { status, stdout, stderr } = spawnSync(program('helm'), args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

const rendered = new Map<string, string>();
/** The manifests of an installation, as text. The same flags are rendered once. */
export const render = (...flags: string[]): string => renderRelease('three-services', ...flags);

/** The same for a release of another name. */
export const renderRelease = (release: string, ...flags: string[]): string => {
  const namespace = flags.includes('--namespace') ? [] : ['--namespace', 'three-services'];
  const key = [release, ...flags].join('\n');
  const known = rendered.get(key);
  if (known !== undefined) return known;
  const { status, stdout, stderr } = spawnSync(
    program('helm'),
    ['template', release, CHART, ...namespace, ...flags],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  rendered.set(key, stdout);
  return stdout;
};

export const resourcesOf = (manifests: string): Resource[] =>
  parseAllDocuments(manifests)
    .map((document) => document.toJS() as Resource | null)
    .filter((resource) => resource !== null);

/** What kubeconform says of manifests for a version of Kubernetes. */
export const conformance = (version: string, manifests: string): Outcome => {
  const location = `${schemasFolder()}/{{ .NormalizedKubernetesVersion }}/{{ .ResourceKind }}-{{ .Group }}-{{ .ResourceAPIVersion }}.json`;
  const { status, stdout, stderr } = spawnSync(
    program('kubeconform'),
    ['-strict', '-summary', '-kubernetes-version', version, '-schema-location', location],
    { input: manifests, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
};
