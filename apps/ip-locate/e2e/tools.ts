import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { WORKSPACE } from './workspace.ts';

/**
 * `describe` where the programs it needs are installed; elsewhere it is skipped and says why, and in CI it fails.
 * `.ci/install-tools` installs them.
 */
export function describeWith(tools: readonly string[], name: string, suite: () => void): void {
  const missing = tools.filter((tool) => spawnSync('which', [tool]).status !== 0);
  if (missing.length === 0) return describe(name, suite);
  const reason = `needs ${missing.join(', ')}: run .ci/install-tools`;
  if (process.env['CI']) return describe(name, () => it(reason, () => expect(missing).toEqual([])));
  console.warn(`${name} skipped: ${reason}`);
  describe.skip(`${name} (${reason})`, suite);
}

/** What a program prints. @throws with what it said when it fails, or is not done within two minutes */
export async function runTool(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 1 << 30, timeout: 120_000 });
  return stdout;
}

const PACKAGES = ['ipyapi==0.2.0', 'ipapi==1.0.4'];

/** The Python of the tests' own environment with the clients from PyPI, made on first use. */
export async function pythonWithClients(): Promise<string> {
  const folder = join(WORKSPACE, '.cache/ip-locate-python');
  const python = join(folder, 'bin/python');
  if (!existsSync(python) || spawnSync(python, ['-c', 'import ipyapi, ipapi']).status !== 0) {
    await runTool('python3', ['-m', 'venv', folder]);
    await runTool(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  }
  return python;
}
