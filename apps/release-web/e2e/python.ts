import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './service.ts';
import { runTool } from './tools.ts';

const FOLDER = join(workspace(), '.cache/release-web-python');
const PACKAGES = ['feedparser==6.0.14', 'schemathesis==4.32.5'];

/** A program of the tests' own Python environment, which is made on first use. */
export const pythonProgram = async (name: string): Promise<string> => {
  const program = join(FOLDER, 'bin', name);
  if (!isComplete()) {
    await runTool('python3', ['-m', 'venv', FOLDER]);
    await runTool(join(FOLDER, 'bin/pip'), [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      ...PACKAGES,
    ]);
  }
  return program;
};

const isComplete = (): boolean =>
  existsSync(join(FOLDER, 'bin/schemathesis')) &&
  spawnSync(join(FOLDER, 'bin/python'), ['-c', 'import feedparser']).status === 0;
