import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { historyTable, loadDataFolder } from '@workspace/release-catalogue';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { git } from './git.ts';
import { cli } from './run-cli.ts';

/** Two people publish at the same time, each in a clone of the repository of the data. */
describe('merging two clones', () => {
  let data: DataCopy;
  let mine: string;
  let theirs: string;

  const commit = (folder: string) => {
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'data');
  };

  beforeEach(() => {
    data = new DataCopy('7.4');
    const origin = join(data.root, 'origin');
    cpSync(data.folder, origin, { recursive: true });
    git(origin, 'init', '-q', '--initial-branch=main');
    commit(origin);
    [mine, theirs] = ['mine', 'theirs'].map((name) => {
      git(data.root, 'clone', '-q', origin, name);
      return join(data.root, name);
    }) as [string, string];
  });
  afterEach(() => data.remove());

  const promote = async (folder: string, version: string, digests = data.pack(version)) => {
    const args = [
      'promote',
      version,
      '--kind',
      'security',
      '--fixes',
      'CVE-2026-0000',
      '--manifest',
      data.manifest(version, digests),
      '--yes',
    ];
    expect(await cli(folder, args)).toMatchObject({ code: 0 });
  };
  const merge = () => {
    commit(mine);
    commit(theirs);
    git(mine, 'pull', '-q', '--no-rebase', '--no-edit', theirs, 'main');
  };
  const history = async (folder: string) => {
    const { catalogue } = await loadDataFolder(folder);
    return historyTable(catalogue, 8).map(({ release }) => release.version);
  };

  it('releases of different branches merge to valid data, in the same order whichever is merged first', async () => {
    await promote(mine, '8.5.10');
    await promote(theirs, '8.4.25');
    merge();
    git(theirs, 'pull', '-q', '--no-rebase', '--no-edit', mine, 'main');
    expect(await cli(mine, ['validate'])).toMatchObject({ code: 0 });
    expect((await history(mine)).slice(0, 3)).toEqual(['8.5.9', '8.4.24', '8.4.23']);
    expect(await history(theirs)).toEqual(await history(mine));

    // And the data can be edited again.
    await promote(mine, '8.3.34');
    expect((await history(mine)).slice(0, 4)).toEqual(['8.3.33', '8.5.9', '8.4.24', '8.4.23']);
  });

  it('what is valid on either side and not together is repaired by the command that corrects it', async () => {
    const same = data.pack('8.5.10');
    await promote(mine, '8.5.10', same);
    await promote(theirs, '8.4.25', same);
    merge();
    expect(await cli(mine, ['validate'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('[hash-unique]'),
    });

    const other = ['yank', '8.5.10', '--reason', 'the archives of 8.4.25', '--yes'];
    expect(await cli(mine, other)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('[hash-unique]'),
    });
    data.pack('8.5.10', 'packed again');
    const repair = ['correct', '8.5.10', '--tarballs', data.archives, '--reason', 'wrong archives', '--yes'];
    expect(await cli(mine, repair)).toMatchObject({ code: 0 });
    expect(await cli(mine, ['validate'])).toMatchObject({ code: 0 });
  });
});
