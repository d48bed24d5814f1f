import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

const { version: newNode } = process;
const folder = mkdtempSync(join(tmpdir(), 'old-node-'));
afterAll(() => rmSync(folder, { recursive: true }));

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
  const manifest = readFileSync(join(workspaceRoot, 'package.json'), 'utf8');
  writeFileSync(
    join(copy, 'package.json'),
    manifest.replace(/("start": "node libs\/workspace\/src\/check-node\.js && )[^"]+/, '$1echo runs'),
  );
  return copy;
};

/** Installs a Node and an npm of these versions; undefined when the registry does not give them. */
const installed = async (node: string, npm: string): Promise<string | undefined> => {
  const home = join(folder, `node-${node}`);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "allowScripts": { "node": true } }');
  const names = [`node@${node}`, `npm@${npm}`];
  const install = await run(home, [], 'npm', 'install', '--no-audit', '--no-fund', ...names);
  const bin = join(home, 'node_modules/.bin');
  if (install.code === 0 && (await run(home, [bin], 'node', '-v')).stdout.startsWith(`v${node}.`)) return bin;
  console.warn(`Node ${node} not tested: npm could not install ${names.join(' and ')}\n${install.stderr}`);
  return undefined;
};

// The npm that each of them came with.
describe.each([
  ['16', '8.19.4'],
  ['18', '10.8.2'],
  ['20', '10.8.2'],
])('with Node %s and npm %s', (node, npm) => {
  let bin: string | undefined;
  let copy: string;
  beforeAll(async () => {
    bin = await installed(node, npm);
    copy = copyOfWorkspace(node);
    // In CI a test that does not run is a failure.
    if (process.env['CI']) expect(bin).toBeDefined();
  });

  it('npm ci has nothing to say about versions', async () => {
    if (!bin) return;
    const { code, stderr } = await run(copy, [bin], 'npm', 'ci', '--dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const talkative = await run(copy, [bin], 'npm', 'ci', '--dry-run', '--loglevel=warn');
    expect(talkative.stderr).toContain('EBADENGINE');
  });

  it('npm start says in one line what to do, or what runs', async () => {
    if (!bin) return;
    const start = () => run(copy, [bin!], 'npm', 'start');
    expect(await start()).toMatchObject({
      code: 1,
      stderr: 'The packages are not installed: run npm ci first.\n',
    });

    mkdirSync(join(copy, 'node_modules/tsx'), { recursive: true });
    const { code, stderr } = await start();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^Node\\.js ${node}\\.\\S+ is too old: install Node\\.js 24 from [^\n]+\n$`),
    );

    mkdirSync(join(copy, 'node_modules/.bin'));
    symlinkSync(process.execPath, join(copy, 'node_modules/.bin/node'));
    const running = await start();
    expect(running).toMatchObject({ code: 0, stdout: expect.stringMatching(/^runs$/m) as string });
    expect(running.stderr).toMatch(
      new RegExp(
        `^Node\\.js ${newNode.slice(1)}, which npm ci has installed, runs this; yours is ${node}\\.\\S+\\. npm ${npm} runs [^\n]+\n$`,
      ),
    );
  });
});

describe('with the Node of this workspace', () => {
  it('npm start has nothing to say about versions', async () => {
    const copy = copyOfWorkspace('own');
    mkdirSync(join(copy, 'node_modules/tsx'), { recursive: true });
    const bin = join(workspaceRoot, 'node_modules/.bin');
    expect(await run(copy, [bin], 'npm', 'start')).toMatchObject({ code: 0, stderr: '' });
  });

  // .npmrc hides npm's warnings from readers whose Node is older: here they would be about the one that runs everything.
  it('npm has no warning to hide', async () => {
    const bin = join(workspaceRoot, 'node_modules/.bin');
    const { stderr } = await run(
      copyOfWorkspace('hidden'),
      [bin],
      'npm',
      'ci',
      '--dry-run',
      '--loglevel=warn',
    );
    expect(stderr.replaceAll(/^npm warn Unknown user config .*\n/gm, '')).toBe('');
  });
});
