import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runTool } from './tools.ts';

/** The packages a test takes from PyPI, and where it keeps them. */
export interface PythonEnvironment {
  /** a folder that outlives the tests; projects may share it */
  readonly folder: string;
  /** pinned: `schemathesis==4.32.5` */
  readonly packages: readonly string[];
}

const MAKE_ENVIRONMENT = `
  environment=$1; shift
  [ ! -e "$environment/complete" ] || exit 0
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check "$@"
  touch "$environment/complete"`;

/** A program of a Python environment, which is made on first use and again when its packages change. */
export const pythonProgram = async (
  { folder, packages }: PythonEnvironment,
  name: string,
): Promise<string> => {
  const version = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8);
  const environment = `${folder}-${version}`;
  // The file "complete" is written last: an environment without it is incomplete. The lock (of util-linux) lets suites of
  // several projects that run side by side share one environment.
  await mkdir(dirname(environment), { recursive: true });
  await runTool('flock', [
    `${environment}.lock`,
    'sh',
    '-ec',
    MAKE_ENVIRONMENT,
    'sh',
    environment,
    ...packages,
  ]);
  return join(environment, 'bin', name);
};
