import { supportDates } from '@workspace/release-catalogue';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

describe('what is published is taken back or changed by a command, with its reason on record', () => {
  let data: DataCopy;
  beforeEach(() => (data = new DataCopy('7.4')));
  afterEach(() => data.remove());
  const run = (...args: string[]) => cli(data.folder, [...args, '--yes']);
  const done = async (...args: string[]) => expect(await run(...args)).toMatchObject({ code: 0 });
  const rejected = async (text: string, ...args: string[]) =>
    expect(await run(...args)).toMatchObject({ code: 1, notes: expect.stringContaining(text) });
  const because = ['--reason', 'x'];
  const promote = (version: string, ...more: string[]) => {
    data.pack(version);
    return run('promote', version, '--kind', 'bugfix', '--tarballs', data.archives, ...more);
  };
  const branch = (name: string) => data.json(`branches/${name}.json`);

  it('a build: its slot waits for the next one, and its digests stay known', async () => {
    await done('yank', '8.6.0beta1', ...because);
    expect(branch('8.6')).toMatchObject({
      pre_releases: [{ version: '8.6.0', release: { type: 'beta', number: 0 } }],
      retired_builds: [expect.objectContaining({ version: '8.6.0beta1' })],
      audit: [{ action: 'yank', version: '8.6.0beta1', reason: 'x' }],
    });
    await rejected('8.6.0beta1 is not on offer any more', 'yank', '8.6.0beta1', ...because);
    data.pack('8.6.0beta2');
    const next = ['add-pre-release', '8.6.0beta2', '--manager', 'svpernova09', '--tarballs', data.archives];
    await done(...next);
  });

  it('a slot, after the build in it', async () => {
    await rejected('with yank 8.4.25RC1', 'remove-slot', '8.4.25', ...because);
    await done('yank', '8.4.25RC1', ...because);
    await done('remove-slot', '8.4.25', ...because);
    expect(branch('8.4')).toMatchObject({
      pre_releases: [],
      audit: [{ action: 'yank' }, { action: 'remove-slot', version: '8.4.25', reason: 'x' }],
    });
    await rejected(
      '8.4.25 has no pre-release slot; branch 8.4 has: none.',
      'remove-slot',
      '8.4.25',
      ...because,
    );
    expect(await promote('8.4.25')).toMatchObject({ code: 0 });
  });

  it('a gap and a branch that begins with X.Y.1 are on record with theirs', async () => {
    expect(await promote('8.4.26', ...because)).toMatchObject({ code: 0 });
    expect(await promote('8.6.1', ...because)).toMatchObject({ code: 0 });
    expect(branch('8.6')).toMatchObject({
      overrides: { date: '2026-08-27' },
      audit: [
        { action: 'promote', reason: 'x', changes: [{ pointer: '/overrides/date', to: '2026-08-27' }] },
      ],
    });
    expect(supportDates(branch('8.6')).activeSupportEnd).toEqual(new Date('2028-12-31'));
    expect(await cli(data.folder, ['validate'])).toMatchObject({ code: 0 });
  });

  it('an end of support', async () => {
    const before = new DataCopy('7.4');
    const extend = ['set-support', '8.2', '--security', '2027-06-30'];
    expect(await run(...extend)).toMatchObject({ code: 2, notes: expect.stringContaining('--reason') });
    await done(...extend, ...because);
    expect(branch('8.2')).toMatchObject({
      overrides: { security: '2027-06-30' },
      audit: [
        {
          action: 'set-support',
          version: '8.2',
          reason: 'x',
          changes: [{ pointer: '/overrides/security', from: '2026-12-31', to: '2027-06-30' }],
        },
      ],
    });
    expect(await run(...extend, ...because)).toMatchObject({ code: 1 });
    await rejected('[support-order]', 'set-support', '8.2', '--active', '2028-01-01', ...because);

    expect(await cli(data.folder, ['validate', '--against', before.folder])).toMatchObject({ code: 0 });
    data.write('branches/8.2.json', JSON.stringify({ ...branch('8.2'), audit: [] }));
    expect(await cli(data.folder, ['validate', '--against', before.folder])).toMatchObject({
      code: 1,
      out: expect.stringContaining('use the command set-support [support-recorded]'),
    });
    before.remove();
  });
});
