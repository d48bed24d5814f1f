import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, workspaceRoot } from '@workspace/testing';
import { installOtherNodes } from './other-nodes.ts';

const NODE = `node-${process.platform}-${process.arch}`;
const read = (file: string): string => readFileSync(join(workspaceRoot, file), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { version: string; integrity: string }>;
};
const pinned = packages[`node_modules/${NODE}`]!;
const nodes = Object.entries(packages).filter(([path]) =>
  /^node_modules\/node-(linux|darwin|win)-/.test(path),
);

const folder = mkdtempSync(join(tmpdir(), 'old-node-'));
let others: ReturnType<typeof installOtherNodes>;
// 400 MB to fetch and to unpack.
beforeAll(() => {
  others = installOtherNodes();
});
afterAll(() => {
  for (const made of [folder, others.folder]) rmSync(made, { recursive: true });
});

/** Runs a program and resolves with what it wrote, however it ended. @param bin folders in front of PATH */
const run = (cwd: string, bin: string[], program: string, ...args: string[]) => {
  // What an npm around this test has set is not for the npm in it; PATH holds the workspace's own Node.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const path = env['PATH']!.split(':').filter((entry) => !entry.includes('node_modules'));
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(
      program,
      args,
      { cwd, env: { ...env, CI: undefined, PATH: [...bin, ...path].join(':') }, maxBuffer: 1e8 },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    ),
  );
};

/** What `npm ci` and the first line of `npm start` read of this workspace; the rest of `npm start` only says that it runs. */
const copyOfWorkspace = (name: string): string => {
  const copy = join(folder, name);
  mkdirSync(copy);
  for (const file of ['package-lock.json', '.npmrc', 'libs/workspace/src/check-node.js'])
    cpSync(join(workspaceRoot, file), join(copy, file));
  const manifest = read('package.json');
  writeFileSync(
    join(copy, 'package.json'),
    manifest.replace(/("start": "node libs\/workspace\/src\/check-node\.js && )[^"]+/, '$1echo runs'),
  );
  return copy;
};

/**
 * The package.json and lockfile of a project that has nothing of the workspace but its Node. One for each processor would not do: npm 8
 * and 10 remove node_modules/.bin/node with the package that they leave out.
 */
const projectWithNode = (name: string): string => {
  const project = join(folder, name);
  mkdirSync(project);
  const manifest = {
    name: 'project',
    version: '0.0.0',
    scripts: { version: 'node --version' },
    optionalDependencies: Object.fromEntries(
      nodes.map(([path, { version }]) => [path.replace(/.*\//, ''), version]),
    ),
  };
  const lock = {
    ...{ name: 'project', version: '0.0.0', lockfileVersion: 3, requires: true },
    packages: { '': manifest, ...Object.fromEntries(nodes) },
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
  cpSync(join(workspaceRoot, '.npmrc'), join(project, '.npmrc'));
  return project;
};

/** A registry that has another file under the name and version of the workspace's Node. */
const dishonestRegistry = async () => {
  const content = join(folder, 'exchanged');
  mkdirSync(join(content, 'package/bin'), { recursive: true });
  const manifest = { name: NODE, version: pinned.version, bin: { node: 'bin/node' } };
  writeFileSync(join(content, 'package/package.json'), JSON.stringify(manifest));
  writeFileSync(join(content, 'package/bin/node'), '#!/bin/sh\necho exchanged\n', { mode: 0o755 });
  await runTool('tar', ['czf', `${content}.tgz`, '-C', content, 'package']);
  const tarball = readFileSync(`${content}.tgz`);
  const asked: string[] = [];
  const server = createServer(({ url = '' }, answer) => {
    asked.push(url);
    if (url.endsWith('.tgz')) return answer.end(tarball);
    const dist = { tarball: `${address()}/${NODE}.tgz`, integrity: pinned.integrity };
    return answer.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        name: NODE,
        'dist-tags': { latest: pinned.version },
        versions: { [pinned.version]: { ...manifest, dist } },
      }),
    );
  }).listen(0, '127.0.0.1');
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await once(server, 'listening');
  return { address: address(), asked, close: () => server.close() };
};

// The npm that each of them came with; 22 and 26 run the npm of this machine.
describe.each([
  ['16', 'npm-8'],
  ['18', 'npm-10'],
  ['20', 'npm-10'],
  ['22.15', undefined],
  ['26', undefined],
])('with Node %s', (version, npm) => {
  let bin: string[] | undefined;
  const tooOld = Number(version) < 22.15;
  beforeAll(() => {
    const node = others.program(`node-${version}`, 'bin/node');
    // In CI a test that does not run is a failure.
    if (process.env['CI']) expect(node).toBeDefined();
    if (!node) return console.warn(`Node ${version} not tested: there is none for ${NODE}`);
    const programs = join(folder, `bin-${version}`);
    mkdirSync(programs);
    symlinkSync(node, join(programs, 'node'));
    if (npm) symlinkSync(others.program(npm, 'bin/npm-cli.js')!, join(programs, 'npm'));
    bin = [programs];
  });

  it('npm ci has nothing to say about versions', async () => {
    if (!bin) return;
    const copy = copyOfWorkspace(`quiet-${version}`);
    const { code, stderr } = await run(copy, bin, 'npm', 'ci', '--dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    if (!tooOld) return;
    const talkative = await run(copy, bin, 'npm', 'ci', '--dry-run', '--loglevel=warn');
    expect(talkative.stderr).toContain('EBADENGINE');
  });

  it('npm ci installs the Node of the lockfile, which scripts and npx run', async () => {
    if (!bin) return;
    const project = projectWithNode(`project-${version}`);
    expect(await run(project, bin, 'npm', 'ci')).toMatchObject({ code: 0, stderr: '' });
    for (const command of [
      ['run', 'version'],
      ['exec', '--', 'node', '--version'],
    ]) {
      const { stdout } = await run(project, bin, 'npm', ...command);
      expect(stdout.trim().split('\n').at(-1)).toBe(`v${pinned.version}`);
    }
  });

  it('npm ci does not install another file under its name', async () => {
    if (!bin) return;
    const project = projectWithNode(`exchanged-${version}`);
    const registry = await dishonestRegistry();
    try {
      const options = [
        '--fetch-retries=0',
        '--registry',
        registry.address,
        '--cache',
        join(project, 'cache'),
      ];
      await run(project, bin, 'npm', 'ci', ...options);
      expect(registry.asked.some((url) => url.endsWith('.tgz'))).toBe(true);
    } finally {
      registry.close();
    }
    const { stdout } = await run(project, bin, 'npm', 'run', 'version');
    expect(stdout).not.toContain('exchanged');
    expect(stdout).toContain(`v${version}.`);
  });

  it('npm start says in one line what to do, or what runs', async () => {
    if (!bin) return;
    const copy = copyOfWorkspace(version);
    const start = () => run(copy, bin!, 'npm', 'start');
    expect(await start()).toMatchObject({
      code: 1,
      stderr: 'The packages are not installed: run npm ci first.\n',
    });

    mkdirSync(join(copy, 'node_modules/tsx'), { recursive: true });
    expect(await start()).toMatchObject({
      code: 1,
      stderr: `${NODE} is not installed: npm ci could not fetch it, or it was not the one of package-lock.json. Run npm ci again.\n`,
    });

    mkdirSync(join(copy, 'node_modules', NODE));
    const own = await start();
    if (tooOld)
      expect(own).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(`^Node\\.js ${version}\\.\\S+ is too old: install Node\\.js 24 from [^\n]+\n$`),
        ) as string,
      });
    else expect(own).toMatchObject({ code: 0, stderr: '' });

    mkdirSync(join(copy, 'node_modules/.bin'));
    symlinkSync(process.execPath, join(copy, 'node_modules/.bin/node'));
    const running = await start();
    expect(running).toMatchObject({ code: 0, stdout: expect.stringMatching(/^runs$/m) as string });
    const note = `^Node\\.js ${process.versions.node}, which npm ci has installed, runs this; yours is ${version}\\.\\S+\\.\n$`;
    expect(running.stderr).toMatch(new RegExp(tooOld ? note : '^$'));
  });
});

describe('with the Node of this workspace', () => {
  const bin = [join(workspaceRoot, 'node_modules/.bin')];

  it('npm start has nothing to say about versions', async () => {
    const copy = copyOfWorkspace('own');
    for (const name of ['tsx', NODE]) mkdirSync(join(copy, 'node_modules', name), { recursive: true });
    expect(await run(copy, bin, 'npm', 'start')).toMatchObject({ code: 0, stderr: '' });
  });

  // .npmrc hides npm's warnings from readers whose Node is older: here they would be about the one that runs everything.
  it('npm has no warning to hide', async () => {
    const copy = copyOfWorkspace('hidden');
    const { stderr } = await run(copy, bin, 'npm', 'ci', '--dry-run', '--loglevel=warn');
    expect(stderr.replaceAll(/^npm warn Unknown user config .*\n/gm, '')).toBe('');
  });
});
