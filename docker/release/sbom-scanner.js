// A scanner of packages for BuildKit (https://github.com/moby/buildkit/blob/master/docs/attestations/sbom-protocol.md), for machines
// that cannot pull Docker's own: it passes on, as SPDX 2.3, the list of contents that every image carries.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { BUILDKIT_SCAN_SOURCE: source, BUILDKIT_SCAN_DESTINATION: destination } = process.env;
const { components } = JSON.parse(readFileSync(join(source, 'app/sbom.cdx.json'), 'utf8'));

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
  packages: components.map(({ name, version }, at) => ({
    SPDXID: `SPDXRef-Package-${at}`,
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
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
