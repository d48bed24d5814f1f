import { readFileSync } from 'node:fs';
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
});
