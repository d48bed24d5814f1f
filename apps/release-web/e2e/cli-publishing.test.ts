import { DataCopy } from '@workspace/release-catalogue/testing';
import { type RunningService, startService } from './service.ts';
import { runReleaseData } from './release-data.ts';

describe('publishing while the service runs', () => {
  let data: DataCopy;
  let service: RunningService;

  beforeAll(async () => {
    data = new DataCopy();
    service = await startService({ DATA_DIR: data.folder, FILE_POLL_MS: '50', PRE_RELEASE_SHAPE: 'keyed' });
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    data.remove();
  });

  /** Runs a command and waits until the service says that it serves what was written. */
  const publish = async (...args: string[]): Promise<void> => {
    const served = () => service.lines.filter(({ msg }) => msg === 'serving new data').length;
    const before = served();
    const arrived = new Promise<void>((resolve) => {
      const look = () => {
        if (served() === before) return;
        service.child.stdout!.off('data', look);
        resolve();
      };
      service.child.stdout!.on('data', look);
    });
    const { code, notes } = await runReleaseData([...args, '--data', data.folder, '--yes']);
    expect({ code, notes }).toMatchObject({ code: 0 });
    await arrived;
  };
  const text = async (path: string) => (await fetch(service.url + path)).text();
  const json = async (path: string) => JSON.parse(await text(path));
  const latest = async () =>
    (await json('/releases/branches.php')).find(({ branch }: { branch: string }) => branch === '8.4').latest;
  const feedTitles = async () =>
    [...(await text('/releases/feed.php')).matchAll(/<title[^>]*>([^<]*)/g)].map(([, title]) => title);

  it('offers a build, then its release, withdraws it and corrects what was said', async () => {
    const build = data.pack('8.4.25RC2');
    await publish('add-pre-release', '8.4.25RC2', '--tarballs', data.archives);
    expect((await json('/pre-release-builds.php')).releases['8.4.25']).toMatchObject({
      version: '8.4.25RC2',
      files: {
        xz: { sha256: build.xz, path: 'https://downloads.php.net/~calvinb/php-8.4.25RC2.tar.xz' },
      },
    });

    const release = data.pack('8.4.25');
    const manifest = data.manifest('8.4.25', release);
    await publish(
      'promote',
      '8.4.25',
      '--kind',
      'security',
      '--fixes',
      'CVE-2026-0000',
      '--manifest',
      manifest,
      '--next',
      '8.4.26',
    );
    expect(await latest()).toBe('8.4.25');
    expect(await feedTitles()).toContain('PHP 8.4.25 released!');
    expect(await feedTitles()).not.toContain('PHP 8.4.24 released!');
    const devVersions = await json('/pre-release-builds.php?only=dev_versions');
    expect(devVersions).toContain('8.4.26-dev');
    expect(devVersions).not.toContain('8.4.25-dev');
    expect(await json('/releases/index.php?json&version=8.4.25')).toMatchObject({
      announcement: true,
      tags: ['security'],
      source: [{ sha256: release.gz }, { sha256: release.bz2 }, { sha256: release.xz }],
    });
    expect(await json('/releases/index.php?json&version=8.4.24')).toMatchObject({
      announcement: { English: '/releases/8_4_24.php' },
      museum: false,
    });

    await publish('yank', '8.4.25', '--reason', 'the archives lack a file');
    expect(await latest()).toBe('8.4.24');
    expect(await feedTitles()).toContain('PHP 8.4.24 released!');
    expect((await json('/releases/active.php'))['8']['8.4']?.version).not.toBe('8.4.25');

    const packed = data.pack('8.4.25', 'packed again');
    await publish(
      'correct',
      '8.4.25',
      '--tarballs',
      data.archives,
      '--remove',
      '/yanked',
      '--reason',
      'packed again',
    );
    expect(await latest()).toBe('8.4.25');
    expect(await json('/releases/index.php?json&version=8.4.25')).toMatchObject({
      source: [{ sha256: packed.gz }, { sha256: packed.bz2 }, { sha256: packed.xz }],
    });
    expect(data.json('branches/8.4.json').audit.map(({ action }: { action: string }) => action)).toEqual([
      'add-pre-release',
      'promote',
      'yank',
      'correct',
    ]);
    expect(service.lines.filter(({ level }) => level === 50 || level === 'error')).toEqual([]);
  });

  it('rejects an edit by hand of what was published, and says where', async () => {
    const file = 'branches/8.5.json';
    const good = data.texts()[file]!;
    const url = '/releases/index.php?json&version=8.5.9';
    const before = await text(url);
    data.write(file, good.replace('d735459c2cba', 'd735459c2cbb'));
    const { violations } = await service.logged('the new data is invalid; still serving the last valid data');
    expect(violations).toContain(
      'branches/8.5.json#/current/published/source/0/sha256: 8.5.9 is published: changing published/source/0/sha256 ' +
        'takes a correction with a reason in the audit [published-immutable]',
    );
    expect(await text(url)).toBe(before);
    data.write(file, good);
  });
});
