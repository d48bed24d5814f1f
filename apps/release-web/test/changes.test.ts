import fc from 'fast-check';
import type { AuditEntry } from '@workspace/release-catalogue';
import { edited } from '@workspace/release-catalogue/testing';
import { changesAfter, cursorText, positionOf } from '../src/domain/change-log.ts';
import { copyOfFixture, editData, type TestService, testService } from './service.ts';

const entry = (at: string, version: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: `${at}T09:00:00Z`,
  action: 'promote',
  version,
  ...more,
});

let folder: string;
const services: TestService[] = [];
const start = async () => {
  const service = await testService({ WEBSUB_HUB: 'https://hub.example/' }, { folder });
  services.push(service);
  return service;
};
const audit = (branch: string, ...entries: AuditEntry[]) =>
  editData(folder, branch, ({ audit: known }) => known.push(...entries));
beforeAll(async () => {
  folder = await copyOfFixture();
  await audit('8.4', entry('2026-07-01', '8.4.23'), entry('2026-07-30', '8.4.24'));
  await audit(
    '8.5',
    entry('2026-07-15', '8.5.8', { action: 'correct', reason: 'x', changes: [{ pointer: '/kind' }] }),
  );
});
const changes = async ({ app }: TestService, query = '') =>
  (await app.inject(`/api/v1/changes${query}`)).json();
const versions = ({ items }: { items: { version: string }[] }) => items.map(({ version }) => version);

describe('/api/v1/changes', () => {
  it('says what changed, oldest first, in pages; a cursor holds after a restart and finds what a merge brings late', async () => {
    const service = await start();
    const first = await changes(service, '?limit=2');
    expect(first).toMatchObject({ total: 2, remaining: 1, cursor: '8.4-1_8.5-1' });
    expect(first.items).toEqual([
      {
        at: '2026-07-01T09:00:00Z',
        branch: '8.4',
        version: '8.4.23',
        action: 'promote',
        reason: null,
        changed: [],
      },
      {
        at: '2026-07-15T09:00:00Z',
        branch: '8.5',
        version: '8.5.8',
        action: 'correct',
        reason: 'x',
        changed: ['/kind'],
      },
    ]);
    const second = await changes(service, `?since=${first.cursor}`);
    expect([versions(second), second.remaining]).toEqual([['8.4.24'], 0]);
    expect(await changes(service, `?since=${second.cursor}`)).toMatchObject({
      items: [],
      cursor: second.cursor,
    });

    await audit('8.2', entry('2026-07-02', '8.2.32'));
    const third = await changes(await start(), `?since=${second.cursor}`);
    expect(versions(third)).toEqual(['8.2.32']);
    expect(versions(await changes(await start(), '?since=2026-07-15'))).toEqual(['8.5.8', '8.4.24']);
  });

  it.each(['8.4-3', '9.9-1', '8.4-0_9.9-0'])('%s is a cursor of other data', async (cursor) => {
    const answer = await services[0]!.app.inject(`/api/v1/changes?since=${cursor}`);
    expect([answer.statusCode, answer.json().type]).toEqual([400, 'urn:problem-type:unknown-cursor']);
  });

  it.each(['8.4', '8.4-', 'yesterday', '2026-7-1', '8.4-1_', '2026-13-01', '2026-01-32'])(
    '%s is no cursor',
    async (since) => {
      expect((await changes(services[0]!, `?since=${since}`)).type).toBe('urn:problem-type:invalid-request');
    },
  );

  it('is a WebSub topic', async () => {
    const { headers } = await services[0]!.app.inject('/api/v1/changes');
    expect(headers.link).toBe(
      '<https://hub.example/>; rel="hub", <https://releases.example/api/v1/changes>; rel="self"',
    );
    const { app } = await testService();
    expect((await app.inject('/api/v1/changes')).headers.link).toBeUndefined();
  });
});

describe('a reader', () => {
  const BRANCHES = ['8.2', '8.3', '8.4', '8.5'];
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom(...BRANCHES), day: fc.integer({ min: 1, max: 28 }) }),
    fc.record({ read: fc.integer({ min: 1, max: 4 }) }),
  );

  it('gets every change once, whatever is published between two requests', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const catalogue = edited((data) => {
          for (const name of BRANCHES) data.branch(name).audit.length = 0;
        });
        const read: string[] = [];
        let cursor = 'start';
        const readOn = (limit: number) => {
          const page = changesAfter(catalogue, positionOf(catalogue, cursor)!, limit);
          expect(page.changes.length).toBeLessThanOrEqual(limit);
          read.push(...page.changes.map(({ entry: { version } }) => version));
          cursor = cursorText(page.position);
          return page.remaining;
        };
        let count = 0;
        for (const each of steps) {
          if ('read' in each) readOn(each.read);
          else {
            const day = `2026-08-${`${each.day}`.padStart(2, '0')}`;
            catalogue.branches
              .find(({ branch }) => branch === each.add)!
              .audit.push(entry(day, `${count++}`));
          }
        }
        while (readOn(3) > 0);
        expect(cursor).toBe(cursorText(changesAfter(catalogue, new Map(), count + 1).position));
        expect([...read].sort()).toEqual(Array.from({ length: count }, (_, n) => `${n}`).sort());
        for (const name of BRANCHES) {
          const own = catalogue.branches
            .find(({ branch }) => branch === name)!
            .audit.map(({ version }) => version);
          expect(read.filter((version) => own.includes(version))).toEqual(own);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('/api/v1/events?within=', () => {
  it.each([
    ['2026-11-21T12:00:00Z', '39d', []],
    ['2026-11-21T12:00:00Z', '40d', ['8.4 active-support-end', '8.2 security-support-end']],
    ['2026-12-30T23:59:59Z', '1d', ['8.4 active-support-end', '8.2 security-support-end']],
    ['2026-12-31T00:00:00Z', '1d', []],
    ['2026-12-31T00:00:00Z', '0d', []],
  ])('%s, %s: %j', async (now, within, expected) => {
    const service = await start();
    service.set(now);
    const answer = await service.app.inject(`/api/v1/events?within=${within}`);
    const found = answer.json().items.map(({ branch, kind }: Record<string, string>) => `${branch} ${kind}`);
    expect(found.sort()).toEqual([...expected].sort());
    expect(answer.headers['last-modified']).toBe(new Date(`${now.slice(0, 10)}T00:00:00Z`).toUTCString());
  });

  it('is not fresh beyond midnight, of one branch, and rejects other spans', async () => {
    const service = await start();
    service.set('2026-11-21T23:59:50Z');
    const answer = await service.app.inject('/api/v1/events?within=9999d&branch=8.5');
    expect(answer.headers['cache-control']).toBe('public, max-age=10, stale-while-revalidate=0');
    expect(answer.json().items.map(({ branch }: { branch: string }) => branch)).toEqual([
      '8.5',
      '8.5',
      '8.5',
    ]);
    for (const within of ['30', '-1d', '1w', '']) {
      expect((await service.app.inject(`/api/v1/events?within=${within}`)).statusCode).toBe(400);
    }
  });
});
