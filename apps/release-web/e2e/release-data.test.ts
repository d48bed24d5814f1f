import { readFileSync } from 'node:fs';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { builtFile } from '@workspace/testing';
import { runReleaseData } from './release-data.ts';

describe('the publishing command in the built output', () => {
  it('validates the data it was built with', async () => {
    const { code, out } = await runReleaseData(['validate']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^valid: \d+ releases/m) });
  });

  it('has the version of the service', async () => {
    const built = builtFile('release-web', 'package.json');
    const { version } = JSON.parse(readFileSync(built, 'utf8'));
    expect(await runReleaseData(['--version'])).toEqual({ code: 0, out: `${version}\n`, notes: '' });
  });

  it('withdraws a release with wrong digests, as the runbook says, without a clone of this repository', async () => {
    const data = new DataCopy();
    const where = ['--data', data.folder];
    const yank = ['yank', '8.4.24', '--reason', 'wrong archives', '--yes'];
    expect(await runReleaseData([...yank, ...where])).toMatchObject({ code: 0 });
    expect(await runReleaseData(['validate', ...where])).toMatchObject({ code: 0 });
    expect(data.json('branches/8.4.json').current.yanked.reason).toBe('wrong archives');
    data.remove();
  });
});
