import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { workspaceRoot } from './workspace.ts';

/** Those of the named programs that are not on PATH. */
export const missingTools = (...tools: readonly string[]): string[] =>
  tools.filter((tool) => spawnSync('which', [tool]).status !== 0);

/**
 * `describe` where the programs it needs are installed; elsewhere it is skipped and says why, and in CI it fails.
 * `.ci/install-tools` installs them.
 */
export const describeWith = (tools: readonly string[], name: string, suite: () => void): void => {
  const missing = missingTools(...tools);
  if (missing.length === 0) return describe(name, suite);
  const reason = `needs ${missing.join(', ')}: run .ci/install-tools`;
  if (process.env['CI']) return describe(name, () => it(reason, () => expect(missing).toEqual([])));
  console.warn(`${name} skipped: ${reason}`);
  describe.skip(`${name} (${reason})`, suite);
};

/**
 * Runs a program to its end, and lets this process continue to read what a service under test logs: a full pipe would
 * hold the service up.
 * @returns its standard output
 * @throws with its standard error when it fails
 */
export const runTool = async (command: string, args: readonly string[], input = ''): Promise<string> => {
  // Nx asks programs for colours: what a test compares has none.
  const { FORCE_COLOR: _, ...env } = process.env;
  const child = spawn(command, args, { env });
  // A program that ends before it has read everything reports that by its status.
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
};

/** What a program prints in the root of the workspace. Nx starts no daemon for it. */
export const workspaceOutput = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, {
    cwd: workspaceRoot,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false' },
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
