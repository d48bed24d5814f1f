import fc from 'fast-check';
import { type Catalogue, compareVersions, correct, releasesOf } from '@workspace/release-catalogue';
import { edited, NOW, REAL } from '@workspace/release-catalogue/testing';
import { type TestService, testService } from '../../../test/service.ts';
import { type Osv, osvRecord } from './osv.ts';
import { vulnerabilities } from './vulnerability.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
const get = async (path: string) => (await service.app.inject(path)).json();

describe('/api/v1/security', () => {
  it('says since which release a CVE is fixed, and which supported releases have it', async () => {
    const { total, items } = await get('/api/v1/security');
    expect(total).toBe(items.length);
    expect(items.slice(0, 2).map(({ cve }: { cve: string }) => cve)).toEqual([
      'CVE-2026-17544',
      'CVE-2026-17543',
    ]);
    expect(items[1]).toEqual({
      cve: 'CVE-2026-17543',
      fixed_since: [
        { branch: '8.5', version: '8.5.9', date: '2026-07-30' },
        { branch: '8.4', version: '8.4.24', date: '2026-07-30' },
        { branch: '8.2', version: '8.2.33', date: '2026-07-30' },
      ],
      affected: ['8.5.8', '8.5.0', '8.4.23', '8.4.1', '8.2.32', '8.2.0'],
      osv: 'https://releases.example/api/v1/security/CVE-2026-17543',
    });
  });

  it('leaves out releases of a branch whose support has ended', async () => {
    service.set('2026-12-31T00:00:00Z');
    const { items } = await get('/api/v1/security');
    service.set('2026-11-21T12:00:00Z');
    expect(items[1].affected).toEqual(['8.5.8', '8.5.0', '8.4.23', '8.4.1']);
    expect(items[1].fixed_since).toHaveLength(3);
  });

  it('of one branch', async () => {
    const { items } = await get('/api/v1/security?branch=8.1');
    expect(
      items.every((item: { fixed_since: { branch: string }[] }) => item.fixed_since[0]!.branch === '8.1'),
    ).toBe(true);
    expect((await get('/api/v1/security?branch=9.9')).type).toBe('urn:problem-type:unknown-branch');
  });

  it('of one CVE, as OSV', async () => {
    expect(await get('/api/v1/security/CVE-2026-17544')).toEqual({
      schema_version: '1.7.5',
      id: 'CVE-2026-17544',
      modified: '2026-08-13T00:00:00Z',
      published: '2026-07-30T00:00:00Z',
      affected: [
        {
          ranges: [{ type: 'SEMVER', events: [{ introduced: '8.5.0' }, { fixed: '8.5.9' }] }],
          versions: ['8.5.0', '8.5.8'],
        },
        {
          ranges: [{ type: 'SEMVER', events: [{ introduced: '8.4.0' }, { fixed: '8.4.24' }] }],
          versions: ['8.4.1', '8.4.23'],
        },
      ],
      references: [
        { type: 'ADVISORY', url: 'https://www.cve.org/CVERecord?id=CVE-2026-17544' },
        { type: 'WEB', url: 'https://releases.example/releases/8_5_9.php' },
        { type: 'WEB', url: 'https://releases.example/releases/8_4_24.php' },
      ],
    });
    expect(await get('/api/v1/security/CVE-2026-0000')).toMatchObject({
      status: 404,
      type: 'urn:problem-type:unknown-vulnerability',
    });
  });

  it('is linked to from the page of a release', async () => {
    const { body } = await service.app.inject('/releases/8_4_24.php');
    expect(body).toContain('/api/v1/security/CVE-2026-17544');
  });
});

const VERSIONS = REAL.branches
  .filter(({ branch }) => Number(branch) >= 8.1)
  .flatMap((branch) => releasesOf(branch).map(({ version }) => version));
const fixed = (fixing: readonly string[], withdrawn: readonly string[]): Catalogue =>
  edited((data) => {
    for (const version of fixing) data.release(version).fixes = ['CVE-2026-0000'];
    for (const version of withdrawn) data.release(version).yanked = { date: '2026-08-27', reason: 'x' };
  });

/** Whether a version is in a range, as OSV's specification evaluates it. */
const isInRange = (version: string, { events }: Osv['affected'][number]['ranges'][number]): boolean =>
  events.reduce((isAffected, event) => {
    if ('introduced' in event) return compareVersions(version, event.introduced) >= 0;
    if ('fixed' in event) return isAffected && compareVersions(version, event.fixed) < 0;
    return isAffected && compareVersions(version, event.last_affected) <= 0;
  }, false);

it.each([[], ['CVE-2026-0001']])(
  'a record is modified when a release turns out to fix only %j',
  (...fixes) => {
    const before = fixed(['8.5.9', '8.4.24'], []);
    const after = edited((data) => {
      const members = fixes.length === 0 ? [{ pointer: '/fixes' }] : [];
      const corrected = correct(
        before,
        { version: '8.5.9', reason: 'x', members, ...(fixes.length > 0 && { fixes }) },
        NOW,
      );
      Object.assign(data.branch('8.5'), structuredClone(corrected));
    }, before);
    const [was, is] = [before, after].map((catalogue) =>
      osvRecord(vulnerabilities(catalogue).at(-1)!, 'https://releases.example'),
    );
    expect([is!.id, is!.affected.length]).toEqual([was!.id, was!.affected.length - 1]);
    expect(is!.modified > was!.modified).toBe(true);
  },
);

it('a record is withdrawn when no release fixes its vulnerability after all, and listed no more', async () => {
  const before = fixed(['8.5.9'], []);
  const after = edited((data) => {
    const edit = { version: '8.5.9', reason: 'x', fixes: ['CVE-2026-17543', 'CVE-2026-17544'], members: [] };
    Object.assign(data.branch('8.5'), structuredClone(correct(before, edit, NOW)));
  }, before);
  const { app, store } = await testService();
  store.replace(after, NOW);
  const { updated } = after.branches.find(({ branch }) => branch === '8.5')!;
  expect((await app.inject('/api/v1/security/CVE-2026-0000')).json()).toEqual({
    schema_version: '1.7.5',
    id: 'CVE-2026-0000',
    modified: updated,
    withdrawn: updated,
    affected: [],
    references: [{ type: 'ADVISORY', url: 'https://www.cve.org/CVERecord?id=CVE-2026-0000' }],
  });
  expect((await app.inject('/api/v1/security')).body).not.toContain('CVE-2026-0000');
});

describe('whichever releases fix a vulnerability, and whichever were withdrawn', () => {
  it('the release since which it is fixed is on offer, and every release before it counts as affected', () => {
    fc.assert(
      fc.property(fc.subarray(VERSIONS, { minLength: 1 }), fc.subarray(VERSIONS), (fixing, withdrawn) => {
        const catalogue = fixed(fixing, withdrawn);
        const [found, ...more] = vulnerabilities(catalogue);
        expect(more).toEqual([]);
        expect(new Set(found!.branches.map(({ branch }) => branch.branch))).toEqual(
          new Set(fixing.map((version) => version.split('.').slice(0, 2).join('.'))),
        );
        for (const { branch, since, affected } of found!.branches) {
          const all = releasesOf(branch);
          const isSafe = ({ version, yanked }: (typeof all)[number]) =>
            !yanked &&
            fixing
              .filter((fix) => all.some((release) => release.version === fix))
              .some((fix) => compareVersions(version, fix) >= 0);
          const safe = all.filter(isSafe).sort((a, b) => compareVersions(a.version, b.version));
          expect(since?.version).toBe(safe[0]?.version);
          expect(new Set(affected)).toEqual(
            new Set(all.filter(({ version }) => !since || compareVersions(version, since.version) < 0)),
          );
        }
        const { affected } = osvRecord(found!, 'https://releases.example');
        expect(
          VERSIONS.filter((version) =>
            affected.some(({ ranges }) => ranges.some((range) => isInRange(version, range))),
          ).sort(),
        ).toEqual(affected.flatMap(({ versions }) => versions).sort());
      }),
      { numRuns: 50 },
    );
  });
});
