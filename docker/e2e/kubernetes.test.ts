import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingTools } from './support/tools.ts';
import { workspace } from './support/workspace.ts';

// Kubernetes' own schemas, version by version, come with this Python package: nothing is asked on the network later.
const PACKAGE = 'kubernetes-validate==1.37.0';
const VERSIONS = ['1.34', '1.37'];

const missing = missingTools('python3');
if (missing.length > 0 && process.env['CI']) throw new Error('python3 is missing');
if (missing.length > 0) console.warn('manifests are not checked: python3 is missing');

/** Makes the Python environment once; it stays in .cache. */
function validator(): string {
  const folder = join(workspace, '.cache', PACKAGE.replace('==', '-'));
  const program = join(folder, 'bin/kubernetes-validate');
  if (!existsSync(program)) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync('python3', ['-m', 'venv', folder]);
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', PACKAGE]);
  }
  return program;
}

(missing.length > 0 ? describe.skip : describe)('the manifests against Kubernetes’ schemas', () => {
  let program: string;
  beforeAll(() => void (program = validator()), 300_000);
  const check = (version: string, files: readonly string[]) =>
    spawnSync(program, ['--strict', '--no-warn', '-k', version, ...files], { encoding: 'utf8' });
  const manifests = readdirSync('kubernetes').map((name) => join('kubernetes', name));

  it.each(VERSIONS)('are right in every word for %s', (version) => {
    const { status, stdout, stderr } = check(version, manifests);
    expect(stdout + stderr).not.toMatch(/ERROR/);
    expect((stdout + stderr).match(/passed for resource/g)?.length).toBe(3 * 6 + 1);
    expect(status).toBe(0);
  });

  it('would not be with a misspelt one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
    const file = join(folder, 'misspelt.yaml');
    writeFileSync(
      file,
      readFileSync('kubernetes/ip-locate.yaml', 'utf8').replace('readOnlyRootFilesystem', 'readOnlyRoot'),
    );
    expect(check('1.34', [file]).status).not.toBe(0);
    rmSync(folder, { recursive: true });
  });
});
