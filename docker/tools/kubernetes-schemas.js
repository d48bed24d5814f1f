#!/usr/bin/env node
// Prints the folder of the JSON Schemas that kubeconform checks manifests against, as its --schema-location. They are made on
// first use from what Kubernetes, the Gateway API and Prometheus Operator publish in their Go modules, and stay in
// ${XDG_CACHE_HOME:-~/.cache}/three-services. Needs Go.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

/**
 * The oldest and the newest versions that the chart is checked against: Kubernetes, each with a Gateway API. Of Prometheus
 * Operator's main module the Go module proxy has no newer version.
 */
const OPERATOR = {
  module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
  folder: 'example/prometheus-operator-crd',
};
const gatewayApi = (version) => ({
  module: `sigs.k8s.io/gateway-api@${version}`,
  folder: 'config/crd/standard',
});
const VERSIONS = {
  'v1.34.9': [gatewayApi('v1.2.1'), OPERATOR],
  'v1.37.0': [gatewayApi('v1.6.3'), OPERATOR],
};

const folderOf = (module) =>
  JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8', cwd: homedir() }))
    .Dir;

/** A property that is not in the schema is a mistake; an object that keeps unknown fields, or is a map, has none. */
const strict = (schema) => {
  if (Array.isArray(schema)) return schema.map(strict);
  if (schema === null || typeof schema !== 'object') return schema;
  const own = { ...schema };
  delete own.description;
  const copy = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, strict(value)]));
  if (own['x-kubernetes-int-or-string'] || own.format === 'int-or-string') {
    return { type: ['integer', 'string'], ...(own.pattern && { pattern: own.pattern }) };
  }
  const open = own['x-kubernetes-preserve-unknown-fields'] || own.additionalProperties !== undefined;
  if (own.properties && !open) copy.additionalProperties = false;
  return copy;
};

/** Names of all definitions that a schema refers to, directly or not. */
const referred = (schema, definitions, found = new Set()) => {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    referred(definitions[name], definitions, found);
  }
  return found;
};

const nameOf = (kind, group, version) => `${kind.toLowerCase()}-${group || version}-${version}.json`;

/** The kinds of Kubernetes itself, from its OpenAPI document. */
const kubernetesSchemas = (version) => {
  const file = join(folderOf(`k8s.io/kubernetes@${version}`), 'api/openapi-spec/swagger.json');
  const definitions = strict(JSON.parse(readFileSync(file, 'utf8')).definitions);
  // A number is a quantity, too.
  definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: ['string', 'number'] };
  return Object.values(definitions).flatMap((schema) => {
    const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
    if (kinds.length !== 1 || !schema.properties?.apiVersion) return [];
    const [{ kind, group, version: apiVersion }] = kinds;
    const names = [...referred(schema, definitions)];
    const own = Object.fromEntries(names.map((name) => [name, definitions[name]]));
    return [[nameOf(kind, group, apiVersion), { ...schema, definitions: own }]];
  });
};

/** The CustomResourceDefinitions of a module. */
const customKinds = ({ module, folder }) => {
  const files = join(folderOf(module), folder);
  return readdirSync(files)
    .flatMap((file) => parseAllDocuments(readFileSync(join(files, file), 'utf8')).map((one) => one.toJS()))
    .filter((document) => document?.kind === 'CustomResourceDefinition');
};

/** The schemas of a CustomResourceDefinition, one for each version. */
const customSchemas = ({ spec }) =>
  spec.versions.map(({ name, schema }) => {
    const { properties, ...rest } = strict(schema.openAPIV3Schema);
    // A CustomResourceDefinition leaves metadata to Kubernetes.
    const metadata = { type: 'object', required: ['name'] };
    return [nameOf(spec.names.kind, spec.group, name), { ...rest, properties: { ...properties, metadata } }];
  });

const caches = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'three-services');
const key = createHash('sha256')
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .digest('hex')
  .slice(0, 12);
const folder = join(caches, `kubernetes-schemas-${key}`);
if (!existsSync(folder)) {
  mkdirSync(caches, { recursive: true });
  // Moved into place when it is complete: an interrupted run leaves nothing that looks finished.
  const building = mkdtempSync(join(caches, 'building-'));
  for (const [version, parts] of Object.entries(VERSIONS)) {
    mkdirSync(join(building, version));
    const kinds = parts.flatMap(customKinds);
    for (const [name, schema] of [...kubernetesSchemas(version), ...kinds.flatMap(customSchemas)]) {
      writeFileSync(join(building, version, name), JSON.stringify(schema));
    }
    // As they are, for a control plane.
    writeFileSync(join(building, version, 'definitions.json'), JSON.stringify(kinds));
  }
  renameSync(building, folder);
}
console.log(folder);
