import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingTools } from '@workspace/service-kit/testing';
import { pythonProgram } from './support/python.ts';

const VERSIONS = ['1.34', '1.37'];

const missing = missingTools('python3');
if (missing.length > 0 && process.env['CI']) throw new Error('python3 is missing');
if (missing.length > 0) console.warn('manifests are not checked: python3 is missing');

(missing.length > 0 ? describe.skip : describe)('the manifests against Kubernetes’ schemas', () => {
  let program: string;
  beforeAll(async () => void (program = await pythonProgram('kubernetes-validate')), 300_000);
  const check = (version: string, files: readonly string[]) =>
    spawnSync(program, ['--strict', '--no-warn', '-k', version, ...files], { encoding: 'utf8' });
  // Alerts and the Gateway API are not part of Kubernetes' own schemas; test/ checks the alerts.
  const manifests = readdirSync('kubernetes')
    .filter((name) => !['alerts.yaml', 'gateway.yaml'].includes(name))
    .map((name) => join('kubernetes', name));

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
