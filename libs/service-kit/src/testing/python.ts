import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './tools.ts';

/** The packages a test takes from PyPI, and where it keeps them. */
export interface PythonEnvironment {
  /** a folder that outlives the tests; one project's own, as two may be made at once */
  readonly folder: string;
  /** pinned: `schemathesis==4.32.5` */
  readonly packages: readonly string[];
}

/** A program of a Python environment, which is made on first use and again when its packages change. */
export const pythonProgram = async (
  { folder, packages }: PythonEnvironment,
  name: string,
): Promise<string> => {
  const version = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8);
  const environment = `${folder}-${version}`;
  // Written last: an environment without it is incomplete.
  const complete = join(environment, 'complete');
  if (!existsSync(complete)) {
    await rm(environment, { recursive: true, force: true });
    await runTool('python3', ['-m', 'venv', environment]);
    const pip = join(environment, 'bin/pip');
    await runTool(pip, ['install', '--quiet', '--disable-pip-version-check', ...packages]);
    await writeFile(complete, '');
  }
  return join(environment, 'bin', name);
};
