import { spawnSync } from 'node:child_process';
import { APPS, documents, filesIn, read } from './files.ts';

type Labels = Record<string, string>;
interface Resource {
  kind: string;
  metadata: { name: string; labels?: Labels };
  spec: Record<string, unknown>;
}
interface Deployment {
  replicas?: number;
  selector: { matchLabels: Labels };
  template: { metadata: { labels: Labels }; spec: Pod };
}
interface Pod {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsNonRoot: boolean; runAsUser: number };
  containers: Container[];
}
interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  env: { name: string }[];
  lifecycle: { preStop: { sleep: { seconds: number } } };
  resources: { requests: { memory: string }; limits: { memory: string } };
  securityContext: unknown;
}

/** Holds a resource against Prometheus Operator's own definition. */
const check = (resource: unknown) =>
  spawnSync(process.execPath, ['test/monitoring-resource.js'], {
    input: JSON.stringify(resource),
    encoding: 'utf8',
  });

const resources = (app: string) => documents(`docker/kubernetes/${app}.yaml`) as Resource[];
const of = <T>(app: string, kind: string): T => {
  const found = resources(app).find((resource) => resource.kind === kind);
  if (!found) throw new Error(`${app} has no ${kind}`);
  return found.spec as T;
};

// The schemas of Kubernetes itself are asked by e2e/kubernetes.test.ts; here is what no schema sees.
describe.each(APPS)('the manifests of %s', (app) => {
  const deployment = of<Deployment>(app, 'Deployment');
  const { spec: pod, metadata } = deployment.template;
  const container = pod.containers[0] as Container;

  it('have everything a service needs, under its name', () => {
    expect(resources(app).map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual(
      [
        'ServiceAccount',
        'Deployment',
        'Service',
        'PodDisruptionBudget',
        'HorizontalPodAutoscaler',
        'NetworkPolicy',
        'ServiceMonitor',
      ].map((kind) => `${kind} ${app}`),
    );
  });

  it('select the pods they mean', () => {
    const labels = metadata.labels;
    expect(deployment.selector.matchLabels).toEqual(labels);
    expect(of<{ selector: Labels }>(app, 'Service').selector).toEqual(labels);
    expect(
      of<{ selector: { matchLabels: Labels } }>(app, 'PodDisruptionBudget').selector.matchLabels,
    ).toEqual(labels);
    expect(
      of<{ podSelector: { matchLabels: Labels } }>(app, 'NetworkPolicy').podSelector.matchLabels,
    ).toEqual(labels);
    const service = resources(app).find(({ kind }) => kind === 'Service');
    expect(of<{ selector: { matchLabels: Labels } }>(app, 'ServiceMonitor').selector.matchLabels).toEqual(
      service?.metadata.labels,
    );
  });

  it('name the ports the image opens', () => {
    const exposed = /^EXPOSE (\d+) (\d+)$/m.exec(read(`apps/${app}/Dockerfile`));
    expect(container.ports).toEqual([
      { name: 'http', containerPort: Number(exposed?.[1]) },
      { name: 'management', containerPort: Number(exposed?.[2]) },
    ]);
    const named = new Set(container.ports.map(({ name }) => name));
    const asked = [...read(`docker/kubernetes/${app}.yaml`).matchAll(/(?:targetPort|port): ([a-z]+)/g)];
    expect(asked.length).toBeGreaterThan(5);
    for (const [, name] of asked) expect(named).toContain(name);
  });

  it('probe paths that the management listener has', () => {
    const management = read('libs/service-kit/src/process/management.ts');
    const paths = [...read(`docker/kubernetes/${app}.yaml`).matchAll(/path: (\/[a-z]+)/g)].map(
      ([, path]) => path,
    );
    expect(new Set(paths)).toEqual(new Set(['/live', '/ready', '/metrics']));
    for (const path of paths) expect(management).toContain(`'${path}'`);
  });

  it('give the service the time it takes to end', () => {
    const kit = read('libs/service-kit/src/process/environment.ts');
    const milliseconds = (name: string) =>
      Number(
        new RegExp(`${name}: Type.Integer\\(\\{\\s*default: ([\\d_]+)`).exec(kit)?.[1]?.replace('_', ''),
      );
    const needed =
      container.lifecycle.preStop.sleep.seconds * 1000 +
      milliseconds('DRAIN_DELAY_MS') +
      milliseconds('SHUTDOWN_TIMEOUT_MS');
    expect(needed).toBeGreaterThan(10_000);
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(needed);
  });

  it('leave the number of replicas to the autoscaler, and never fewer than two', () => {
    expect(deployment.replicas).toBeUndefined();
    expect(of<{ minReplicas: number }>(app, 'HorizontalPodAutoscaler').minReplicas).toBeGreaterThanOrEqual(2);
  });

  it('run it without rights and read-only', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('set only what the service reads, at a version that exists', () => {
    const known =
      filesIn('libs/service-kit/src', '.ts').map(read).join('\n') + read(`apps/${app}/src/config.ts`);
    expect(container.env.filter(({ name }) => !new RegExp(`\\b${name}:`).test(known))).toEqual([]);
    expect(container.image).toMatch(new RegExp(`/${app}:\\d+\\.\\d+\\.\\d+$`));
  });

  it('have a ServiceMonitor as Prometheus Operator defines it', () => {
    const written = resources(app).find(({ kind }) => kind === 'ServiceMonitor');
    expect(check(written)).toMatchObject({ status: 0, stderr: '' });
    const wrong = check({ ...written, spec: { ...written?.spec, endpoints: 'none' } });
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('endpoints')]);
  });
});

it('the README makes the secret that ops-intake reads', () => {
  const asked = [
    ...read('docker/kubernetes/ops-intake.yaml').matchAll(
      /secretKeyRef: \{ name: ([\w-]+), key: ([\w-]+) \}/g,
    ),
  ];
  expect(asked.map(([, name, key]) => [name, key])).toEqual([
    ['ops-intake', 'auth-tokens'],
    ['ops-intake', 'idempotency-store-url'],
  ]);
  for (const [, name, key] of asked) {
    expect(read('docker/README.md')).toContain(`kubectl create secret generic ${name} -n three-services`);
    expect(read('docker/README.md')).toContain(`--from-literal=${key}=`);
  }
});

describe('the alerts', () => {
  const [alerts] = documents('docker/kubernetes/alerts.yaml') as [
    { spec: { groups: { rules: { alert: string; annotations: { runbook_url: string } }[] }[] } },
  ];
  const rules = alerts.spec.groups.flatMap((group) => group.rules);

  it('are written as Prometheus Operator defines it', () => {
    expect(check(alerts)).toMatchObject({ status: 0, stderr: '' });
    expect(check({ ...alerts, spec: { groups: 'none' } }).status).toBe(1);
  });

  it('call data old when the service does', () => {
    const days = /STALE_AFTER_DAYS = (\d+);/.exec(read('apps/ip-locate/src/http/routes/health.ts'))?.[1];
    expect(read('docker/kubernetes/alerts.yaml')).toContain(`> ${days} * 86400\n`);
  });

  it('each name a runbook that exists, and every runbook of the list is named or needs no alert', () => {
    const named = new Set(
      rules.map(({ annotations }) => annotations.runbook_url.split('/blob/main/')[1] as string),
    );
    for (const runbook of named) expect(read(runbook)).toMatch(/^# /);
    const listed = [...read('docker/runbooks/README.md').matchAll(/\]\((\w[\w-]*\.md)\) +\|/g)].map(
      ([, runbook]) => `docker/runbooks/${runbook}`,
    );
    expect(listed.length).toBeGreaterThan(5);
    // A full disk shows as an unavailable broker; growing is a decision.
    expect(listed.filter((runbook) => !named.has(runbook))).toEqual([
      'docker/runbooks/disk-full.md',
      'docker/runbooks/growing.md',
    ]);
  });
});
