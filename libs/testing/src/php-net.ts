import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endWithUs } from './built-service.ts';
import { eventually } from './eventually.ts';
import { createFakeClock } from './fake-clock.ts';
import { freePort } from './ports.ts';
import { runTool } from './tools.ts';

/** php.net itself, run by `php -S` from a clone of github.com/php/web-php, with a clock that can be set. */
export interface PhpNet {
  readonly url: string;
  /** its tables as JSON has them; `qa` also has what its endpoint derives */
  tables(): Promise<object>;
  setClock(instant: Date): void;
  close(): Promise<void>;
}

/** What its pages do not need, and some of which a shallow clone lacks. */
const LEFT_OUT = [
  'js',
  'images',
  'manual',
  'fonts',
  'public/js',
  'public/images',
  'public/manual',
  'public/fonts',
];

const TABLES = `
chdir($argv[1]);
require 'include/branches.inc';
require 'include/release-qa.php';
echo json_encode([
  'current' => $RELEASES,
  'old' => $OLDRELEASES,
  'overrides' => $BRANCHES,
  'qa' => $QA_RELEASES,
], JSON_THROW_ON_ERROR);`;

/**
 * The newest commit of php.net's main line at an instant.
 * @throws when the folder is no clone of php.net's repository
 */
export const phpNetCommit = (clone: string, instant?: Date): string => {
  const until = instant ? [`--until=${instant.toISOString()}`] : [];
  const commit = git(clone, ['log', '-1', '--first-parent', '--format=%H', ...until])
    .toString()
    .trim();
  if (!git(clone, ['ls-tree', '--name-only', commit, 'include/branches.inc']).toString().trim())
    throw new Error(`${clone} is no clone of https://github.com/php/web-php`);
  return commit;
};

/** Starts php.net as of a commit. Needs php, git, tar and libfaketime. */
export const startPhpNet = async (clone: string, commit: string, instant: Date): Promise<PhpNet> => {
  const folder = mkdtempSync(join(tmpdir(), 'php-net-'));
  const root = join(folder, 'site');
  mkdirSync(root);
  const paths = ['.', ...LEFT_OUT.map((path) => `:(exclude)${path}`)];
  execFileSync('tar', ['-x', '-C', root], {
    input: git(clone, ['archive', commit, '--', ...paths]),
  });
  const publicRoot = existsSync(join(root, 'public')) ? join(root, 'public') : root;
  // Since its files have moved, states.php looks for this one in the wrong folder and fails.
  const moved = join(publicRoot, 'include/branches.inc');
  if (!existsSync(moved)) symlinkSync(join(root, 'include/branches.inc'), moved);

  const clock = createFakeClock(join(folder, 'clock'), instant);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    'php',
    ['-d', 'display_errors=0', '-S', `127.0.0.1:${port}`, '-t', publicRoot, join(publicRoot, '.router.php')],
    {
      cwd: publicRoot,
      env: { PATH: process.env['PATH'], ...clock.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  endWithUs(child);
  const log = text(child.stderr);
  const end = async (): Promise<void> => {
    await stop(child);
    rmSync(folder, { recursive: true });
  };
  try {
    await eventually('answer of php.net', async () => (await fetch(`${url}/releases/branches.php`)).ok);
  } catch (error) {
    await end();
    throw new Error(`php -S does not answer: ${await log}`, { cause: error });
  }
  return {
    url,
    tables: async () =>
      JSON.parse(await runTool('php', ['-d', 'display_errors=stderr', '-r', TABLES, '--', root])),
    setClock: clock.set,
    close: end,
  };
};

const git = (folder: string, args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', folder, ...args], {
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};
