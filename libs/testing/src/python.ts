import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './tools.ts';
import { userCacheFolder, workspaceRoot } from './workspace.ts';

const LOCKS = join(workspaceRoot, 'libs/testing/python');

// Packages without a wheel are built by those of build.txt, and not by what pip would fetch for it without a check.
const MAKE_ENVIRONMENT = `
  environment=$1; locks=$2; name=$3
  [ ! -e "$environment/complete" ] || exit 0
  rm -rf "$environment"
  python3 -m venv "$environment"
  for lock in build "$name"; do
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --require-hashes -r "$locks/$lock.txt"
  done
  touch "$environment/complete"`;

/**
 * A program of a Python environment with packages from PyPI, each pinned by its SHA-256. The environment is made on first
 * use and stays in the user's cache, one for each lock and version of Python, for all clones.
 * @param lock name of a file in libs/testing/python, without `.txt`
 * @returns the path of the program
 */
export const pythonProgram = async (name: string, lock: string): Promise<string> => {
  const caches = userCacheFolder();
  const python = await runTool('python3', ['--version']);
  const texts = ['build', lock].map((file) => readFileSync(join(LOCKS, `${file}.txt`)));
  const version = createHash('sha256')
    .update([python, ...texts].join())
    .digest('hex')
    .slice(0, 12);
  const environment = join(caches, `python-${version}`);
  // The file "complete" is written last: an environment without it is incomplete. The lock (of util-linux) lets suites of
  // several projects that run side by side share one environment.
  await mkdir(caches, { recursive: true });
  await runTool('flock', [
    `${environment}.lock`,
    'sh',
    '-ec',
    MAKE_ENVIRONMENT,
    'sh',
    environment,
    LOCKS,
    lock,
  ]);
  return join(environment, 'bin', name);
};

const manyExamples = process.env['SCHEMATHESIS_EXAMPLES'];

/**
 * What schemathesis finds when it compares a running service with its OpenAPI document. It tries so many examples for each operation
 * from the same seed every time, or as many as SCHEMATHESIS_EXAMPLES says from a new seed, which it prints with what it finds.
 * @param folder of its schemathesis.toml
 * @throws when it finds something
 */
export const schemathesisReport = async (
  url: string,
  folder: string,
  examples: number,
  ...options: readonly string[]
): Promise<string> => {
  const effort = manyExamples
    ? [`--max-examples=${manyExamples}`]
    : [`--max-examples=${examples}`, '--seed=1'];
  const config = `--config-file=${join(folder, 'schemathesis.toml')}`;
  const args = [config, 'run', `${url}/openapi.json`, `--url=${url}`, '--no-color', ...effort, ...options];
  return runTool(await pythonProgram('schemathesis', 'schemathesis'), args);
};

/** Milliseconds; making the Python environment for the first time is part of it. */
export const SCHEMATHESIS_TIMEOUT_MS = manyExamples ? 3_600_000 : 300_000;
