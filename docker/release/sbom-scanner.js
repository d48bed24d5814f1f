// A scanner of packages for BuildKit (https://github.com/moby/buildkit/blob/master/docs/attestations/sbom-protocol.md), for machines
// that cannot pull Docker's own: it lists the Node packages of an image in SPDX 2.3.
import { randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { BUILDKIT_SCAN_SOURCE: source, BUILDKIT_SCAN_DESTINATION: destination } = process.env;
const packages = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: source })
  .map((path) => JSON.parse(readFileSync(join(source, path), 'utf8')))
  .filter(({ name, version }) => name && version);
const node = join(source, 'usr/local/bin/node');
if (existsSync(node)) packages.push({ name: 'node', version: process.versions.node, license: 'MIT' });

const predicate = {
  spdxVersion: 'SPDX-2.3',
  dataLicense: 'CC0-1.0',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'image',
  documentNamespace: `urn:uuid:${randomUUID()}`,
  creationInfo: {
    created: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    creators: ['Tool: sbom-scanner.js'],
  },
  packages: packages.map(({ name, version, license }, at) => ({
    SPDXID: `SPDXRef-Package-${at}`,
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    licenseDeclared: typeof license === 'string' ? license : 'NOASSERTION',
  })),
};
writeFileSync(
  join(destination, 'packages.spdx.json'),
  JSON.stringify({
    _type: 'https://in-toto.io/Statement/v0.1',
    predicateType: 'https://spdx.dev/Document',
    subject: [],
    predicate,
  }),
);
