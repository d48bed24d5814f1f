import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, startServiceProcess, workspaceRoot } from '@workspace/testing';
import { build } from 'esbuild';
import { installOtherNodes } from './other-nodes.ts';

interface PackageJson {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  engines?: Record<string, string>;
}

/** Modules that the built files import and that are neither part of Node nor of the build. */
const missingModules = async (folder: string): Promise<string[]> => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const { metafile } = await build({
    entryPoints: files.map((name) => join(folder, name)),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  return imports
    .filter(({ external, path }) => external && !isBuiltin(path) && !optional.includes(path))
    .map(({ path }) => path);
};

/** Packages that others use when they find them: @redis/client, for its function `digest`, which no service calls. */
const optional = ['@node-rs/xxhash'];

const apps = [
  { name: 'release-web', path: '/releases/branches.php', shows: '"branch":"8.4"' },
  { name: 'ops-intake', path: '/health', shows: '"status":"down"' },
  { name: 'ip-locate', path: '/8.8.8.8/json/', shows: '"country":"US"' },
] as const;

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as PackageJson;
const needed = readJson(workspaceRoot, 'package.json').engines!['node']!;

let others: ReturnType<typeof installOtherNodes>;
// 400 MB to fetch and to unpack.
beforeAll(() => {
  others = installOtherNodes();
});
afterAll(() => rmSync(others.folder, { recursive: true }));

describe.each(apps)('dist of $name', ({ name, path, shows }) => {
  const dist = join(workspaceRoot, 'dist/apps', name);
  const readPackage = () => readJson(dist, 'package.json');

  it('imports nothing from outside, and depends on no package', async () => {
    expect(await missingModules(dist)).toEqual([]);
    const { dependencies = {}, optionalDependencies = {} } = readPackage();
    expect({ ...dependencies, ...optionalDependencies }).toEqual({});
  });

  it('names the oldest Node of the workspace, and answers under that', async () => {
    expect(readPackage().engines).toEqual({ node: needed });
    const service = startServiceProcess({
      node: others.program(`node-${needed.replace('>=', '')}`, 'bin/node')!,
      args: [join(dist, 'main.js')],
      env: { KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' },
    });
    try {
      expect(await (await fetch((await service.url()) + path)).text()).toContain(shows);
      expect(await service.stop()).toBe(0);
    } finally {
      service.child.kill('SIGKILL');
    }
  });

  it('says that an older Node is too old', () => {
    const asNode20 =
      'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
    const { status, stderr } = spawnSync(process.execPath, ['--import', asNode20, join(dist, 'main.js')], {
      encoding: 'utf8',
    });
    const oldest = needed.replace('>=', '');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `Node.js 20.20.2 is too old: this needs ${oldest} or newer.\n`,
    });
  });

  it('has source maps that Node can use for stack traces', () => {
    const maps = readdirSync(dist).filter((file) => file.endsWith('.js.map'));
    const sources = maps.flatMap(
      (file) => (JSON.parse(readFileSync(join(dist, file), 'utf8')) as { sources: string[] }).sources,
    );
    expect(sources.join(' ')).toContain('libs/service-process/src/run.ts');
    // Node drops a whole map because of one source that is neither a path nor a URL.
    expect(sources.filter((source) => !URL.canParse(source, `file://${dist}/`))).toEqual([]);
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
      const url = await service.url();
      expect(await (await fetch(url + path)).text()).toContain(shows);
      for (const file of ['docs', 'openapi.json', 'openapi.yaml']) {
        expect((await fetch(`${url}/${file}`)).status).toBe(200);
      }
      expect(await service.stop()).toBe(0);
    } finally {
      service?.child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
