import {
  branchOf,
  type Catalogue,
  compareVersions,
  correct,
  releasesOf,
  retire,
  setSupport,
  yank,
} from '@workspace/release-catalogue';
import { edited, FROZEN_FOLDER, NOW, REAL } from '@workspace/release-catalogue/testing';
import { seededRandom } from '@workspace/testing/seeded-random';
import { type TestService, testService } from '../../../test/service.ts';
import { transitions } from '../../domain/transitions.ts';
import { branchesView } from '../../http/php/branches.ts';
import type { Cle } from './cle-schema.ts';
import { cleDocument, openEoxDocument } from './documents.ts';

const SEED = Number(process.env['SEED'] || 428);

/** What a reader of ECMA-428 makes of the events: the dates of each branch that has a release. */
const derivedDates = ({ events }: Cle) => {
  const withdrawn = new Set(events.map((event) => event.type === 'withdrawn' && event.eventId));
  const live = events.filter(({ id }) => !withdrawn.has(id));
  const released = live.filter((event) => event.type === 'released');
  const ended = new Set(
    live
      .flatMap((event): readonly object[] => (event.type === 'endOfLife' ? event.versions : []))
      .map((of) => 'version' in of && of.version),
  );
  const offered = released.map(({ version }) => version).filter((version) => !ended.has(version));
  return [...new Set(offered.map((version) => branchOf(version)!))].map((branch) => {
    const [major, minor] = branch.split('.').map(Number) as [number, number];
    const range = `vers:generic/>=${branch}.0|<${major}.${minor + 1}.0`;
    const end = (type: string, supportId?: string) =>
      live.find(
        (event) =>
          event.type === type &&
          'versions' in event &&
          event.versions.some((of) => 'range' in of && of.range === range) &&
          (supportId === undefined || ('supportId' in event && event.supportId === supportId)),
      )?.effective ?? null;
    const [active, security] = [end('endOfSupport', 'active'), end('endOfSupport', 'security')];
    expect(end('endOfLife')).toBe(security);
    const days = released
      .filter(({ version }) => branchOf(version) === branch)
      .map(({ effective }) => effective);
    // Of a branch without an end of active support, php.net does not know when it came out.
    return { branch, initial: active && days.sort()[0]!, active, security };
  });
};

type Dates = ReturnType<typeof derivedDates>[number];

const stateAt = ({ initial, active, security }: Dates, now: string) => {
  if (!initial || !active || !security) return null;
  if (now >= security) return 'eol';
  if (now >= active) return 'security';
  return now >= initial ? 'stable' : 'future';
};

const publishedBranches = (catalogue: Catalogue, now: Date) =>
  (branchesView(catalogue, now) as Record<string, string | null>[]).map((row) => {
    const moment = (name: string) => row[name]?.replace('+00:00', 'Z') ?? null;
    return {
      branch: row['branch']!,
      state: row['state'],
      initial: moment('initial_release'),
      active: moment('active_support_end'),
      security: moment('security_support_end'),
    };
  });

/** Random instants from 2004 to 2040, and every transition since a year with the seconds around it. */
const instants = (catalogue: Catalogue, count: number, year: number): Date[] => {
  const random = seededRandom(SEED);
  const [from, to] = [Date.UTC(2004, 0), Date.UTC(2041, 0)];
  return [
    ...Array.from({ length: count }, () => from + Math.floor(random() * (to - from))),
    ...transitions(catalogue)
      .filter(({ at }) => at.getUTCFullYear() >= year)
      .flatMap(({ at }) => [-1000, 0, 1000].map((off) => at.getTime() + off)),
  ].map((time) => new Date(time));
};

const expectEqual = (catalogue: Catalogue, count = 300, year = 0): void => {
  const derived = derivedDates(cleDocument(catalogue)).sort((a, b) => compareVersions(b.branch, a.branch));
  const eox = new Map(catalogue.branches.map((file) => [file.branch, openEoxDocument(catalogue, file)]));
  for (const now of instants(catalogue, count, year)) {
    const instant = `${now.toISOString().slice(0, 19)}Z`;
    const published = publishedBranches(catalogue, now);
    const rows = derived.map((dates) => ({ ...dates, state: stateAt(dates, instant) }));
    expect({ instant, rows }).toEqual({ instant, rows: published });
    const differing = published.filter(({ branch, state, initial }) => {
      const { end_of_life: end, general_availability: available = null } = eox.get(branch)!;
      return available !== initial || (state !== null && instant >= end !== (state === 'eol'));
    });
    expect({ instant, differing }).toEqual({ instant, differing: [] });
  }
};

/** What ECMA-428 requires of each type of event besides id, type, effective and published (clause 6.4). */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  released: ['version'],
  endOfSupport: ['versions', 'supportId'],
  endOfLife: ['versions'],
  withdrawn: ['eventId'],
};
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const expectConformingCle = ({ events, definitions }: Cle): void => {
  const types = new Map(events.map(({ id, type }) => [id, type]));
  const ids = events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
  const policies = definitions.support.map(({ id }) => id);
  const wrong = events.filter(
    (event) =>
      !REQUIRED[event.type]!.every((member) => Object.hasOwn(event, member)) ||
      ![event.effective, event.published].every((moment) => UTC.test(moment)) ||
      (event.type === 'endOfSupport' && !policies.includes(event.supportId)) ||
      (event.type === 'withdrawn' &&
        !(event.eventId < event.id && /^(released|end)/.test(types.get(event.eventId)!))),
  );
  expect(wrong).toEqual([]);
};

/** The mandatory and recommended tests of OpenEoX Core 1.0 (7.1 and 7.2). */
const expectConformingEox = (document: object): void => {
  const { end_of_life: end, ...moments } = document as Record<string, string>;
  const others = Object.entries(moments).filter(([name]) => /^(end|general)_/.test(name));
  for (const [, moment] of others) {
    if (end === 'tba') expect(moment === 'tba' || UTC.test(moment)).toBe(true);
    else expect([moment, new Date(moment) <= new Date(end!)]).toEqual([expect.stringMatching(UTC), true]);
  }
};

const replaced = (catalogue: Catalogue, ...branches: Catalogue['branches']): Catalogue => ({
  ...catalogue,
  branches: catalogue.branches.map((file) => branches.find(({ branch }) => branch === file.branch) ?? file),
});
const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000);

/** A history of edits as the commands make them, each on top of the one before. */
const EDITS: readonly (readonly [string, (before: Catalogue, now: Date) => Catalogue])[] = [
  ['a release', (before) => edited((data) => data.promote('8.4.25'), before)],
  [
    'a withdrawn release',
    (before, now) =>
      replaced(before, yank(before, { version: '8.4.25', date: now, reason: 'eats data' }, now)),
  ],
  [
    'a withdrawn first release',
    (before, now) => replaced(before, yank(before, { version: '8.5.0', date: now, reason: 'x' }, now)),
  ],
  [
    'a release on offer again',
    (before, now) =>
      replaced(
        before,
        correct(before, { version: '8.4.25', reason: 'it did not', members: [{ pointer: '/yanked' }] }, now),
      ),
  ],
  [
    'a corrected first release',
    (before, now) =>
      replaced(
        before,
        correct(before, { version: '8.3.0', reason: 'typo', date: new Date('2023-11-22'), members: [] }, now),
      ),
  ],
  [
    'a corrected first release, from which ends follow',
    (before, now) =>
      replaced(
        before,
        correct(before, { version: '8.0.0', reason: 'typo', date: new Date('2020-11-27'), members: [] }, now),
      ),
  ],
  [
    'a moved end that followed from a corrected day',
    (before, now) =>
      replaced(
        before,
        setSupport(before, { branch: '8.0', security: new Date('2024-01-31'), reason: 'RFC' }, now),
      ),
  ],
  [
    'a moved end of support',
    (before, now) =>
      replaced(
        before,
        setSupport(before, { branch: '8.3', security: new Date('2028-06-30'), reason: 'RFC' }, now),
      ),
  ],
  [
    'ends moved again',
    (before, now) =>
      replaced(
        before,
        setSupport(
          before,
          {
            branch: '8.3',
            active: new Date('2026-01-01'),
            security: new Date('2028-12-31'),
            reason: 'again',
          },
          now,
        ),
      ),
  ],
  [
    'an end of 8.4, whose first release is not 8.4.0',
    (before, now) =>
      replaced(
        before,
        setSupport(before, { branch: '8.4', security: new Date('2029-06-30'), reason: 'RFC' }, now),
      ),
  ],
  [
    'all releases of a branch withdrawn',
    (before, now) =>
      releasesOf(before.branches.find(({ branch }) => branch === '8.5')!)
        .filter(({ yanked }) => !yanked)
        .reduce(
          (data, { version }, at) =>
            replaced(
              data,
              yank(data, { version, date: now, reason: 'x' }, new Date(now.getTime() + at * 1000)),
            ),
          before,
        ),
  ],
  ['a branch that is on offer again', (before) => edited((data) => data.promote('8.5.10'), before)],
  [
    'a release of a branch that had left the current table',
    (before, now) => {
      const end = { branch: '8.3', security: new Date('2026-08-01'), reason: 'RFC' };
      const ended = replaced(before, setSupport(before, end, now));
      const retired = replaced(ended, retire(ended, '8.3', now));
      return edited((data) => data.promote('8.3.34'), retired);
    },
  ],
];

describe('the state that follows from the documents', () => {
  it('is that of branches.php at 300 random instants and at every transition', () => expectEqual(REAL));

  it('is that of branches.php where php.net states another day than that of the first release', () =>
    expectEqual(
      edited((data) => {
        data.branch('8.4').overrides!.date = '2024-11-25';
      }),
      30,
    ));

  it('stays so through edits, which only add events', () => {
    let before = REAL;
    EDITS.forEach(([title, edit], index) => {
      const after = edit(before, later(index + 1));
      const [old, added] = [cleDocument(before), cleDocument(after)];
      expect({ title, events: added.events.slice(-old.events.length) }).toEqual({
        title,
        events: old.events,
      });
      expect(added.events.length).toBeGreaterThan(old.events.length);
      expectConformingCle(added);
      expectEqual(after, 30, 2023);
      before = after;
    });
  });

  it('has a withdrawal and a moved end as events', () => {
    const [, yanking] = EDITS[1]!;
    const released = edited((data) => data.promote('8.4.25'));
    const { events } = cleDocument(yanking(released, later(1)));
    expect(events[0]).toEqual({
      id: events.length,
      type: 'endOfLife',
      effective: '2026-08-27T00:00:00Z',
      published: '2026-08-27T09:01:00Z',
      versions: [{ version: '8.4.25' }],
      description: 'eats data',
    });
    const [, moving] = EDITS.find(([title]) => title === 'a moved end of support')!;
    const branch = moving(REAL, later(1)).branches.find((file) => file.branch === '8.3')!;
    const moved = cleDocument(replaced(REAL, branch), branch).events.slice(0, 4);
    const range = [{ range: 'vers:generic/>=8.3.0|<8.4.0' }];
    expect(moved.map(({ id: _, published: __, ...event }) => event)).toEqual([
      { type: 'endOfLife', effective: '2028-06-30T00:00:00Z', versions: range },
      { type: 'withdrawn', effective: '2026-08-27T09:01:00Z', reason: 'RFC', eventId: expect.any(Number) },
      { type: 'endOfSupport', effective: '2028-06-30T00:00:00Z', versions: range, supportId: 'security' },
      { type: 'withdrawn', effective: '2026-08-27T09:01:00Z', reason: 'RFC', eventId: expect.any(Number) },
    ]);
  });
});

describe('the documents', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await testService({}, { folder: FROZEN_FOLDER });
  });
  const get = (path: string, headers = {}) => service.app.inject({ url: path, headers });

  it('conform to ECMA-428 and OpenEoX Core, of PHP and of every branch', async () => {
    const whole: Cle = (await get('/lifecycle/cle.json')).json();
    expectConformingCle(whole);
    expectConformingEox((await get('/lifecycle/openeox.json')).json());
    const parts = [];
    for (const { branch } of REAL.branches) {
      const part: Cle = (await get(`/lifecycle/${branch}/cle.json`)).json();
      expectConformingCle(part);
      parts.push(...part.events);
      expectConformingEox((await get(`/lifecycle/${branch}/openeox.json`)).json());
    }
    expect(parts.sort((a, b) => b.id - a.id)).toEqual(whole.events);
  });

  it('of one branch', async () => {
    expect((await get('/lifecycle/8.4/openeox.json')).json()).toEqual({
      $schema: 'https://docs.oasis-open.org/openeox/v1.0/schema/core.json',
      end_of_life: '2028-12-31T00:00:00Z',
      end_of_security_support: '2028-12-31T00:00:00Z',
      general_availability: '2024-11-21T00:00:00Z',
      last_updated: '2026-08-13T00:00:00Z',
    });
    expect((await get('/lifecycle/8.6/cle.json')).json()).toMatchObject({
      identifier: 'pkg:generic/php',
      events: [],
    });
    expect((await get('/lifecycle/8.6/openeox.json')).json()).toMatchObject({ end_of_life: 'tba' });
    for (const format of ['cle', 'openeox']) {
      expect((await get(`/lifecycle/9.9/${format}.json`)).json().type).toBe(
        'urn:problem-type:unknown-branch',
      );
    }
  });

  it('lead to each other by Link', async () => {
    const { link } = (await get('/lifecycle/8.4/cle.json')).headers;
    expect(link).toBe(
      '</lifecycle/8.4/openeox.json>; rel="alternate", </lifecycle/cle.json>; rel="collection"',
    );
    expect((await get('/lifecycle/openeox.json')).headers['link']).toContain(
      '</lifecycle/8.4/openeox.json>; rel="item"',
    );
  });

  it('are cached as branches.php is, up to the next transition', async () => {
    for (const now of ['2026-11-21T12:00:00Z', '2026-12-30T23:59:00Z', '2026-12-31T00:00:00Z']) {
      service.set(now);
      const branches = (await get('/releases/branches.php')).headers;
      for (const path of ['/lifecycle/cle.json', '/lifecycle/8.4/openeox.json']) {
        const { headers } = await get(path);
        for (const name of ['cache-control', 'last-modified', 'vary'])
          expect(headers[name]).toBe(branches[name]);
        expect((await get(path, { 'if-none-match': headers['etag'] })).statusCode).toBe(304);
      }
    }
  });
});
