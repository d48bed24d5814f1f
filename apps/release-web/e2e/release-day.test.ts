import { generateKeyPairSync } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ICAL from 'ical.js';
import Parser from 'rss-parser';
import { DataCopy } from '@workspace/release-catalogue/testing';
import {
  clocksCanBeSet,
  createFakeClock,
  describeWith,
  eventually,
  type FakeClock,
  killServices,
  runTool,
} from '@workspace/testing';
import { seededRandom } from '@workspace/testing/seeded-random';
import { dockerLibrary } from './docker-library.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { runReleaseData } from './release-data.ts';
import { type RunningService, startService } from './service.ts';

/** An unmodified client: prints a target once it has verified it. */
const TUF_CLIENT = join(import.meta.dirname, '../../../libs/release-cli/e2e/tuf/client.js');
const FIXTURE = join(import.meta.dirname, '../test/fixtures/data');
/** Enough of it: an export writes every page of every branch. */
const BRANCHES = ['8.4', '8.5'];
const SITE = 'https://releases.example';
const CANDIDATES = new Date('2026-08-20T09:00:00Z');
const RELEASES = new Date('2026-08-27T14:00:00Z');
const TEN_MINUTES = 600_000;
const CVES = ['CVE-2026-0001', 'CVE-2026-0002'];

interface Manager {
  readonly branch: string;
  /** a clone */
  readonly folder: string;
  readonly clock: FakeClock;
}

/** Files of the second folder that the first one lacks or has with other bytes. */
const changedFiles = (before: string, after: string): string[] =>
  readdirSync(after, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(after, join(parentPath, name)))
    .filter((file) => {
      const old = join(before, file);
      return !existsSync(old) || !readFileSync(old).equals(readFileSync(join(after, file)));
    });

/** The release day has the first CVE ids on record. */
const forgetFixes = (data: DataCopy, file: string): void => {
  const { current, history, ...branch } = data.json(file);
  for (const release of [current, ...history]) delete release.fixes;
  data.write(file, JSON.stringify({ ...branch, current, history }));
};

const needed = ['git', 'nginx', 'jq', 'curl', ...(clocksCanBeSet() ? [] : ['faketime'])];

describeWith(needed, 'a release day', () => {
  const data = new DataCopy();
  const at = (...names: string[]): string => join(data.root, ...names);
  const hub = at('hub.git');
  const mirror = at('mirror');
  const following = at('following');
  /** as it was before the releases */
  const notFollowing = at('not-following');
  let clock: FakeClock;
  let daniels: Manager;
  let calvinb: Manager;
  let nginx: Nginx;
  let follower: RunningService;
  let exports = 0;

  const git = (folder: string, ...args: string[]): Promise<string> => {
    const settings = ['GIT_CONFIG_GLOBAL=/dev/null', 'GIT_CONFIG_SYSTEM=/dev/null'];
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@releases.example'];
    return runTool('env', [...settings, 'git', ...author, '-C', folder, ...args]);
  };
  const releaseData = (on: FakeClock, ...args: string[]) =>
    runReleaseData(args, { ...on.env, PRE_RELEASE_SHAPE: 'keyed', DATA_STALE_DAYS: '100000' });
  const done = async (on: FakeClock, ...args: string[]): Promise<void> => {
    const { code, notes } = await releaseData(on, ...args);
    expect({ args, code, notes }).toEqual({ args, code: 0, notes: expect.anything() });
  };

  const commit = async (folder: string, message: string): Promise<void> => {
    await git(folder, 'add', '-A');
    await git(folder, 'commit', '-qm', message);
  };
  const publish = async ({ folder, clock: on }: Manager, ...args: string[]): Promise<void> => {
    await done(on, ...args, '--tarballs', data.archives, '--data', folder, '--yes');
    await commit(folder, args.slice(0, 2).join(' '));
  };
  /** As a person does it: what was pushed meanwhile is merged first. @returns how many attempts it took */
  const push = async ({ folder }: Manager): Promise<number> => {
    for (let attempts = 1; ; attempts++) {
      try {
        await git(folder, 'push', '-q', 'origin', 'HEAD:main');
        return attempts;
      } catch {
        await git(folder, 'pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
      }
    }
  };

  const pem = (name: string): string => at(`${name}.pem`);
  /** The managers are the root together, and either signs exports; the machine that publishes has a key, too. */
  const beginSigning = async (repository: string): Promise<void> => {
    for (const name of ['daniels', 'calvinb', 'online']) {
      const { privateKey } = generateKeyPairSync('ed25519');
      writeFileSync(pem(name), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    }
    const ofManagers = ['root', 'targets'].flatMap((role) => [`${role}=daniels`, `${role}=calvinb`]);
    const keys = [...ofManagers, 'snapshot=online', 'timestamp=online'];
    const added = keys
      .map((key) => key.split('='))
      .flatMap(([role, name]) => ['--add', `${role}=${pem(name!)}`]);
    await done(clock, 'tuf', 'root', repository, ...added);
    for (const name of ['daniels', 'calvinb'])
      await done(clock, 'tuf', 'sign', repository, 'root', '--key', pem(name));
    cpSync(join(repository, 'metadata/1.root.json'), at('root.json'));
  };

  /** What is on main, beside the export before. Hard links are enough: a file of an export is replaced and never changed. */
  const exportMain = async (): Promise<string> => {
    exports += 1;
    const [checkout, target] = [at(`checkout-${exports}`), at(`export-${exports}`)];
    await git(data.root, 'clone', '-q', hub, checkout);
    const isFirst = exports === 1;
    const against = isFirst ? [] : ['--against', at(`checkout-${exports - 1}`)];
    await done(clock, 'validate', '--data', checkout, ...against);
    if (!isFirst) await runTool('cp', ['-al', at(`export-${exports - 1}`), target]);
    await done(clock, 'export', target, '--base-url', SITE, '--data', checkout);
    const repository = join(target, 'tuf');
    if (isFirst) await beginSigning(repository);
    await done(clock, 'tuf', 'targets', repository, '--export', target);
    await done(clock, 'tuf', 'sign', repository, 'targets', '--key', pem('daniels'));
    await done(clock, 'tuf', 'publish', repository, '--key', pem('online'));
    return target;
  };
  const switchTo = async (exported: string): Promise<void> => {
    symlinkSync(exported, `${mirror}.new`);
    await rename(`${mirror}.new`, mirror);
  };
  const showMain = async (): Promise<void> => {
    await switchTo(await exportMain());
    await nginx.reload();
  };
  const follow = (site = nginx.url, folder = following) =>
    releaseData(clock, 'import', '--url', site, '--data', folder, '--yes');

  const text = async (path: string, site = nginx.url): Promise<string> => {
    const answer = await fetch(site + path);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const json = async (path: string, site = nginx.url) => JSON.parse(await text(path, site));
  const facts = (folder: string, branch: string): unknown => {
    const { current, history } = JSON.parse(readFileSync(join(folder, `branches/${branch}.json`), 'utf8'));
    // Each site publishes a release when it records it.
    return JSON.parse(
      JSON.stringify({ current, history }, (key, value) => (key === 'feed' ? undefined : value)),
    );
  };
  const latest = async (site = nginx.url): Promise<Record<string, string>> => {
    const branches = (await json('/releases/branches.php', site)) as { branch: string; latest: string }[];
    return Object.fromEntries(branches.map((row) => [row.branch, row.latest]));
  };
  const calendar = async () => {
    const events = new ICAL.Component(ICAL.parse(await text('/api/v1/schedule.ics'))).getAllSubcomponents(
      'vevent',
    );
    const stamps = events.map((event) => String(event.getFirstPropertyValue('dtstamp')));
    return {
      days: events.map((event) => [
        event.getFirstPropertyValue('uid'),
        String(new ICAL.Event(event).startDate),
      ]),
      stamp: [...new Set(stamps)].join(),
    };
  };

  beforeAll(async () => {
    rmSync(data.folder, { recursive: true });
    const isNeeded = (path: string): boolean =>
      !/\/\d+\.\d+\.json$/.test(path) || BRANCHES.some((branch) => path.endsWith(`/${branch}.json`));
    cpSync(FIXTURE, data.folder, { recursive: true, filter: isNeeded });
    for (const branch of BRANCHES) forgetFixes(data, `branches/${branch}.json`);
    cpSync(data.folder, following, { recursive: true });
    await git(data.root, 'init', '-q', '--bare', '--initial-branch=main', hub);
    await git(data.folder, 'init', '-q', '--initial-branch=main');
    await commit(data.folder, 'first data');
    await git(data.folder, 'push', '-q', hub, 'main');
    const manager = async (name: string, branch: string): Promise<Manager> => {
      await git(data.root, 'clone', '-q', hub, name);
      return { branch, folder: at(name), clock: createFakeClock(at(`${name}.clock`), CANDIDATES) };
    };
    [daniels, calvinb] = [await manager('daniels', '8.5'), await manager('calvinb', '8.4')];
    clock = createFakeClock(at('clock'), CANDIDATES);
    await switchTo(await exportMain());
    nginx = await startNginx(at('nginx'), mirror, clock.env);
    follower = await startService({
      ...clock.env,
      DATA_DIR: following,
      FILE_POLL_MS: '50',
      PRE_RELEASE_SHAPE: 'keyed',
    });
  });
  afterAll(async () => {
    await nginx?.stop();
    await killServices();
    data.remove();
  });

  let cursor: string;
  it('begins with a candidate of each branch, the later of which arrives first', async () => {
    const build = data.pack('8.5.10RC2');
    data.pack('8.4.25RC2');
    await publish(calvinb, 'add-pre-release', '8.4.25RC2');
    daniels.clock.set(new Date(CANDIDATES.getTime() + TEN_MINUTES));
    await publish(daniels, 'add-pre-release', '8.5.10RC2');
    clock.set(new Date(CANDIDATES.getTime() + TEN_MINUTES));
    expect(await push(daniels)).toBe(1);
    await showMain();
    expect(await dockerLibrary(nginx.url, '8.5', 'build')).toEqual({
      version: '8.5.10RC2',
      file: 'https://downloads.php.net/~daniels/php-8.5.10RC2.tar.xz',
      sha256: build.xz,
    });
    ({ cursor } = await json('/api/v1/changes'));

    expect(await push(calvinb)).toBe(2);
    await showMain();
    // Who saw the later change first gets the other one, too.
    const { items, cursor: next } = await json(`/api/v1/changes?since=${cursor}`);
    expect(items).toMatchObject([{ version: '8.4.25RC2', action: 'add-pre-release' }]);
    cursor = next;
    expect(await dockerLibrary(nginx.url, '8.4', 'build')).toMatchObject({ version: '8.4.25RC2' });
    expect(await follow()).toMatchObject({ code: 0 });
    await eventually('the candidates at the follower', async () =>
      (await text('/pre-release-builds.php?only=dev_versions', follower.url)).includes('8.4.25RC2'),
    );
  });

  let packed: Record<string, Record<string, string>>;
  let days: unknown;
  it('goes on with two releases pushed at once, and shows them when all of it is there', async () => {
    ({ days } = await calendar());
    clock.set(RELEASES);
    daniels.clock.set(RELEASES);
    // His clock is wrong.
    calvinb.clock.set(new Date(RELEASES.getTime() + TEN_MINUTES));
    packed = { '8.5': data.pack('8.5.10'), '8.4': data.pack('8.4.25') };
    await publish(daniels, 'promote', '8.5.10', '--kind', 'bugfix', '--next', '8.5.11');
    const fixes = CVES.flatMap((cve) => ['--fixes', cve]);
    await publish(calvinb, 'promote', '8.4.25', '--kind', 'security', ...fixes);
    const attempts = await Promise.all([daniels, calvinb].map(push));
    expect(Math.max(...attempts)).toBeGreaterThan(1);

    const before = await latest();
    expect(before).toMatchObject({ '8.5': '8.5.9', '8.4': '8.4.24' });
    let isExported = false;
    const exported = exportMain().finally(() => (isExported = true));
    cpSync(following, notFollowing, { recursive: true });
    const seen: unknown[] = [];
    do seen.push((await follow()).out.match(/^\d+ new/m)?.[0], await latest());
    while (!isExported);
    await switchTo(await exported);
    expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
      new Set(['0 new', before].map((one) => JSON.stringify(one))),
    );
    expect(await latest()).toEqual(before);
    await nginx.reload();
    const after = { ...before, '8.5': '8.5.10', '8.4': '8.4.25' };
    expect(await latest()).toEqual(after);
    expect(await follow()).toMatchObject({ code: 0, out: expect.stringContaining('3 new, ') });
    expect(await follow()).toMatchObject({ code: 0, out: expect.stringContaining('0 new, ') });
    await eventually('the releases at the follower', async () => {
      const { '8.4': of84, '8.5': of85 } = await latest(follower.url);
      return of84 === '8.4.25' && of85 === '8.5.10';
    });
  });

  it.each(['8.5', '8.4'])('is seen by builders of images of %s', async (branch) => {
    const version = { '8.5': '8.5.10', '8.4': '8.4.25' }[branch];
    for (const site of [nginx.url, follower.url]) {
      expect(await dockerLibrary(site, branch, 'release')).toEqual({
        version,
        file: `php-${version}.tar.xz`,
        sha256: packed[branch]!['xz'],
      });
      expect(await dockerLibrary(site, branch, 'build')).toBeUndefined();
    }
  });

  it('is seen by a feed reader, with what is fixed', async () => {
    const parser = new Parser<object, { tag?: string }>({ customFields: { item: [['php:tag', 'tag']] } });
    for (const site of [nginx.url, follower.url]) {
      const { items } = await parser.parseString(await text('/releases/feed.php', site));
      const newest = items.slice(0, 2).sort((a, b) => a.title!.localeCompare(b.title!));
      expect(newest).toMatchObject([
        { title: 'PHP 8.4.25 released!', isoDate: expect.stringMatching(/^2026-08-27T14/), tag: 'security' },
        { title: 'PHP 8.5.10 released!', isoDate: expect.stringMatching(/^2026-08-27T14/) },
      ]);
      expect(newest[1]).not.toHaveProperty('tag');
    }
    const { items } = await parser.parseString(await text('/releases/8.4/feed.atom'));
    for (const cve of CVES) expect(items[0]!['summary']).toContain(cve);
  });

  it('comes to an instance that trusts only the keys, and to a TUF client', async () => {
    const [folder, root] = [at('following-signed'), at('root.json')];
    cpSync(notFollowing, folder, { recursive: true });
    const signed = ['--tuf', `${nginx.url}/tuf`, '--root', root, '--state', at('seen-of-it')];
    const options = ['import', ...signed, '--data', folder, '--yes'];
    expect(await releaseData(clock, ...options)).toMatchObject({
      code: 0,
      out: expect.stringContaining('3 new, '),
    });
    for (const branch of BRANCHES) expect(facts(folder, branch)).toEqual(facts(following, branch));

    const env = Object.entries(clock.env).map(([name, value]) => `${name}=${value}`);
    const places = ['metadata/', 'targets/'].map((part) => `${nginx.url}/tuf/${part}`);
    const fetched = [
      'env',
      ...env,
      process.execPath,
      TUF_CLIENT,
      ...places,
      at('tuf-client'),
      root,
      'SHA256SUMS',
    ];
    expect(await runTool(fetched[0]!, fetched.slice(1))).toBe(
      readFileSync(join(mirror, 'SHA256SUMS'), 'utf8'),
    );
    const check = 'cd "$1"; sha256sum --check --quiet SHA256SUMS';
    expect(await runTool('sh', ['-ec', check, 'sh', mirror])).toBe('');
  });

  it.each([
    ['metadata/timestamp.json', 200, 'no-cache'],
    // The next root: who asks today must find it tomorrow.
    ['metadata/2.root.json', 404, 'no-cache'],
    ['staged/targets.json', 404, 'no-store'],
  ])('has %s in nginx: %d, %s', async (path, status, cacheControl) => {
    const answer = await fetch(`${nginx.url}/tuf/${path}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, cacheControl]);
  });

  it('moves no event of the calendar', async () => {
    expect(await calendar()).toEqual({ days, stamp: '2026-08-27T14:10:00Z' });
  });

  it('is in the changes since the candidates, and in the facts of what it fixes', async () => {
    const { items } = await json(`/api/v1/changes?since=${cursor}`);
    expect(items).toMatchObject([
      { version: '8.5.10', action: 'promote', at: '2026-08-27T14:00:00Z' },
      { version: '8.4.25', action: 'promote', at: '2026-08-27T14:10:00Z' },
    ]);
    const { items: known } = await json('/api/v1/security');
    const fixed = known.filter(({ cve }: { cve: string }) => CVES.includes(cve));
    expect(fixed).toHaveLength(2);
    for (const { fixed_since: since, affected } of fixed) {
      expect(since).toEqual([{ branch: '8.4', version: '8.4.25', date: '2026-08-27' }]);
      expect(affected).toContain('8.4.24');
    }
    for (const cve of CVES) expect(await json(`/api/v1/security/${cve}`)).toMatchObject({ id: cve });
  });

  it('gives valid answers while a mirror has some of the old and some of the new files', async () => {
    const [before, after] = [at(`export-${exports - 1}`), at(`export-${exports}`)];
    const mixed = at('mixed');
    cpSync(before, mixed, { recursive: true });
    const config = join(mixed, 'nginx/server.conf');
    const here = (text: string): string => text.replaceAll(before, mixed).replaceAll(after, mixed);
    writeFileSync(config, here(readFileSync(config, 'utf8')));
    const other = await startNginx(at('nginx-mixed'), mixed, clock.env);
    try {
      const paths = Object.keys(JSON.parse(readFileSync(join(before, 'export.json'), 'utf8')).answers);
      /** Every body that a client can have, by its path and entity tag. */
      const seen = new Map<string, Set<string>>();
      const look = async (): Promise<void> => {
        for (const path of paths) {
          const answer = await fetch(other.url + path);
          const key = `${path} ${answer.headers.get('etag')}`;
          seen.set(key, (seen.get(key) ?? new Set()).add(await answer.text()));
          if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
        }
      };
      const random = seededRandom(1);
      const changed = changedFiles(before, after)
        .map((file) => ({ file, rank: /^site\//.test(file) ? random() : 1 }))
        .sort((a, b) => a.rank - b.rank);
      expect(changed.length).toBeGreaterThan(100);
      const folder = at('following-mixed');
      cpSync(notFollowing, folder, { recursive: true });
      for (const [place, { file }] of changed.entries()) {
        if (place % Math.ceil(changed.length / 3) === 1) {
          await look();
          expect((await follow(other.url, folder)).code).toBeLessThan(2);
          await done(clock, 'validate', '--data', folder);
          for (const branch of BRANCHES) {
            const states = [notFollowing, following].map((one) => facts(one, branch));
            expect(states).toContainEqual(facts(folder, branch));
          }
        }
        const bytes = readFileSync(join(after, file));
        mkdirSync(dirname(join(mixed, file)), { recursive: true });
        writeFileSync(
          join(mixed, `${file}.new`),
          file === 'nginx/server.conf' ? here(bytes.toString()) : bytes,
        );
        await rename(join(mixed, `${file}.new`), join(mixed, file));
      }
      await other.reload();
      expect(await follow(other.url, folder)).toMatchObject({ code: 0 });
      for (const branch of BRANCHES) expect(facts(folder, branch)).toEqual(facts(following, branch));
      // Who asks again with what was seen meanwhile gets what counts now.
      for (const path of paths) {
        const answer = await fetch(other.url + path);
        const earlier = seen.get(`${path} ${answer.headers.get('etag')}`);
        if (earlier) expect([path, [...earlier]]).toEqual([path, [await answer.text()]]);
        else await answer.arrayBuffer();
      }
    } finally {
      await other.stop();
    }
  });
});
