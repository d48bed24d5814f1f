import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';
import { phpTables } from './php-tables.ts';

type Tables = ReturnType<typeof phpTables>;

/** A site that publishes tables as php.net does. */
const publish = async (tables: () => Tables): Promise<{ url: string; server: Server }> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://site');
    const { 'current.json': current, 'old.json': old, 'qa.json': qa } = tables();
    const answers: Record<string, () => unknown> = {
      '/releases/index.php': () => {
        const major = searchParams.get('version');
        return major === null ? { ...old, ...current } : { ...current[major], ...old[major] };
      },
      '/releases/active.php': () =>
        Object.fromEntries(
          Object.entries(current).map(([major, releases]) => [
            major,
            Object.fromEntries(
              Object.entries(releases).map(([version, release]) => [
                version.split('.').slice(0, 2).join('.'),
                { ...release, version },
              ]),
            ),
          ]),
        ),
      '/pre-release-builds.php': () => ({ ...qa, reported: [], releases: {} }),
    };
    const answer = answers[pathname];
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(answer ? JSON.stringify(answer()) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};

describe('import --url', () => {
  let data: DataCopy;
  let tables: Tables;
  let site: Awaited<ReturnType<typeof publish>>;

  beforeEach(async () => {
    data = new DataCopy();
    tables = phpTables(data);
    site = await publish(() => tables);
  });
  afterEach(async () => {
    site.server.closeAllConnections();
    await new Promise((resolve) => site.server.close(resolve));
    data.remove();
  });

  const run = (...args: string[]) => cli(data.folder, ['import', '--url', site.url, ...args]);
  const hash = (letter: string) => letter.repeat(64);
  /** php.net publishes a release: the one before goes into its history. */
  const release = (version: string, letters: string, date = '27 Aug 2026') => {
    const current = tables['current.json']['8']!;
    const branch = version.split('.').slice(0, 2).join('.');
    const before = Object.keys(current).find((known) => known.startsWith(`${branch}.`))!;
    const { announcement: _, ...past } = current[before]!;
    const announcement = { English: `/releases/${before.replaceAll('.', '_')}.php` };
    tables['old.json']['8'] = {
      [before]: { announcement, ...past, museum: false },
      ...tables['old.json']['8'],
    };
    delete current[before];
    current[version] = {
      announcement: true,
      tags: ['security'],
      date,
      source: ['gz', 'bz2', 'xz'].map((archive, index) => ({
        filename: `php-${version}.tar.${archive}`,
        name: `PHP ${version} (tar.${archive})`,
        sha256: hash(letters[index]!),
        date,
      })),
    };
  };

  it('finds no difference in what it was made from', async () => {
    const before = data.texts();
    const { code, out } = await run('--yes');
    expect([code, out]).toEqual([0, '0 new, 0 other differences']);
    expect(data.texts()).toEqual(before);
  });

  it('takes over new releases, also older ones than three days, and then finds no difference', async () => {
    release('8.4.25', 'abc', '13 Aug 2026');
    release('8.4.26', 'def');
    const { code, out } = await run('--yes');
    expect(out).toContain(
      'new: 8.4.25 of 13 Aug 2026\nnew: 8.4.26 of 27 Aug 2026\n2 new, 0 other differences',
    );
    expect(code).toBe(0);
    const branch = data.json('branches/8.4.json');
    expect(branch.current).toMatchObject({ version: '8.4.26', kind: 'security', date: '2026-08-27' });
    expect(branch.history.slice(0, 2).map(({ version }: { version: string }) => version)).toEqual([
      '8.4.25',
      '8.4.24',
    ]);
    expect(branch.pre_releases).toEqual([]);
    expect(branch.retired_builds.map(({ version }: { version: string }) => version)).toContain('8.4.25RC1');
    expect(branch.audit.at(-1)).toMatchObject({
      action: 'import',
      version: '8.4.26',
      reason: `published at ${site.url}`,
    });
    expect((await run('--yes')).out).not.toMatch(/^new|^differs/m);
  });

  it('takes over builds', async () => {
    const slot = tables['qa.json']['8.5.10'] as { release: Record<string, unknown> };
    slot.release = { ...slot.release, number: 2, date: '27 August 2026' };
    for (const [index, archive] of ['bz2', 'gz', 'xz'].entries())
      slot.release[`sha256_${archive}`] = hash('abc'[index]!);
    const { code, out } = await run('--yes');
    expect([code, out.split('\n').slice(0, 2)]).toEqual([
      0,
      ['new: 8.5.10RC2', '1 new, 0 other differences'],
    ]);
    expect(data.json('branches/8.5.json').retired_builds.at(-1).version).toBe('8.5.10RC1');
  });

  it('reports what differs and what is missing, and changes and drops nothing', async () => {
    const before = data.texts();
    (tables['current.json']['8']!['8.4.24']!.source[0] as { sha256: string }).sha256 = hash('a');
    delete tables['old.json']['8']!['8.4.20'];
    delete tables['current.json']['8']!['8.2.33'];
    tables['old.json']['9'] = { '9.0.0': tables['current.json']['8']!['8.4.24']! };
    const { code, out } = await run('--yes');
    expect(out.split('\n')).toEqual([
      'only there: 9.0.0, of a branch that is not on record',
      expect.stringMatching(/^differs: 8\.4\.24 \/source\/0\/sha256: here "d5fe6a1d\w+", there "a{64}"$/),
      'only here: 8.2.33',
      'only here: 8.2 in the current table; see the command retire',
      'only here: 8.4.20',
      '0 new, 5 other differences',
    ]);
    expect(code).toBe(0);
    expect(data.texts()).toEqual(before);
  });

  it('reports slots that differ and are missing', async () => {
    const before = data.texts();
    (tables['qa.json']['8.4.25'] as { active: boolean }).active = false;
    delete tables['qa.json']['8.6.0'];
    const { out } = await run('--yes');
    expect(out.split('\n')).toEqual([
      'differs: the slot of 8.4.25 /active: here true, there false',
      'only here: the slot of 8.6.0',
      '0 new, 2 other differences',
    ]);
    expect(data.texts()).toEqual(before);
  });

  it('rejects a new release that breaks a rule, and takes over the others', async () => {
    release('8.4.25', 'aac');
    release('8.5.10', 'def');
    const { code, notes } = await run('--yes');
    expect(code).toBe(1);
    expect(notes).toContain('hash-unique-in-release');
    expect(notes).toContain('8.4 was not changed.');
    expect(data.json('branches/8.4.json').current.version).toBe('8.4.24');
    expect(data.json('branches/8.5.json').current.version).toBe('8.5.10');
  });

  it('reports a release in an unknown shape', async () => {
    release('8.4.25', 'abc');
    Object.assign(tables['current.json']['8']!['8.4.25']!, { surprise: 1 });
    const { code, out } = await run('--yes');
    expect([code, out]).toEqual([
      0,
      'not understood: 8.4.25 /surprise: Unexpected property\n0 new, 1 other differences',
    ]);
  });

  it('writes nothing on a dry run', async () => {
    release('8.4.25', 'abc');
    const before = data.texts();
    const { code, out, notes } = await run('--dry-run');
    expect([code, data.texts()]).toEqual([0, before]);
    expect(out).toContain('+    "version": "8.4.25"');
    expect(notes).toContain('Dry run');
  });

  it.each([
    ['/nothing/', 1, 'status 404'],
    ['ftp://site.example/', 2, 'is the address of a site'],
  ])('%s is rejected', async (address, code, reason) => {
    const url = address.startsWith('/') ? site.url + address : address;
    const rejected = await cli(data.folder, ['import', '--url', url, '--yes']);
    expect(rejected.code).toBe(code);
    expect(rejected.notes).toContain(reason);
  });

  it('a site that cannot be reached is rejected', async () => {
    const { code, notes } = await cli(data.folder, ['import', '--url', 'http://127.0.0.1:1', '--yes']);
    expect([code, notes]).toEqual([
      1,
      expect.stringContaining('http://127.0.0.1:1/releases/index.php?json: fetch failed'),
    ]);
  });
});
