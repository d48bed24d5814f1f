import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '@workspace/testing';
import { buildJudge, type Judge } from '../../history/judge.ts';

/** An event of key `k`; times are small numbers, in the order of a test's lines. */
type Event = Record<string, unknown>;
const submit = (called: number, returned: number, answer: string, offset?: number): Event => ({
  key: 'k',
  op: 'submit',
  called,
  returned,
  answer,
  ...(offset !== undefined && { partition: 0, offset }),
});
const status = (called: number, returned: number, answer: string, offset?: number): Event => ({
  ...submit(called, returned, answer, offset),
  op: 'status',
});
const record = (offset: number, more: Event = {}): Event => ({
  key: 'k',
  op: 'record',
  partition: 0,
  offset,
  ...more,
});

describeWith(['go'], 'the history checker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'history.jsonl');
  let judge: Judge;
  beforeAll(() => {
    judge = buildJudge(folder);
  });
  const judgeEvents = (events: readonly Event[]) => {
    writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    return judge(file);
  };

  it.each<[string, Event[]]>([
    ['one 202 and its record', [submit(1, 2, 'accepted', 7), record(7)]],
    ['a replayed 202', [submit(1, 2, 'accepted', 7), submit(3, 4, 'accepted', 7), record(7)]],
    ['an unknown attempt that wrote', [submit(1, 2, 'unknown'), status(3, 4, 'accepted', 7), record(7)]],
    ['an unknown attempt that wrote nothing', [submit(1, 2, 'unknown'), status(3, 4, 'not-found')]],
    [
      'a 404 before the attempt that wrote',
      [submit(1, 2, 'unknown'), status(3, 4, 'not-found'), submit(5, 6, 'accepted', 7), record(7)],
    ],
    [
      'a 404 while the record is written',
      [status(1, 9, 'not-found'), submit(2, 3, 'accepted', 7), record(7)],
    ],
    [
      'a record of a request without an answer, found later',
      [submit(1, 2, 'none'), status(3, 4, 'unknown'), status(5, 6, 'accepted', 7), record(7)],
    ],
    [
      'two requests at the same time, of which one is told so',
      [submit(1, 5, 'accepted', 7), submit(2, 3, 'in-flight'), record(7)],
    ],
  ])('accepts %s', async (_name, events) => {
    const { isLegal, report } = await judgeEvents(events);
    expect(report).toContain('0 illegal, 0 undecided\n0 written');
    expect(isLegal).toBe(true);
  });

  it.each<[string, Event[]]>([
    ['a doubled record', [submit(1, 2, 'accepted', 7), record(7), record(8)]],
    [
      'a doubled record after "unknown"',
      [submit(1, 2, 'unknown'), submit(3, 4, 'accepted', 8), record(7), record(8)],
    ],
    ['a lost 202', [submit(1, 2, 'accepted', 7)]],
    ['a lost "accepted"', [submit(1, 2, 'unknown'), status(3, 4, 'accepted', 7)]],
    ['a 202 that names another place', [submit(1, 2, 'accepted', 7), record(8)]],
    [
      'two 202 that name different places',
      [submit(1, 2, 'accepted', 7), submit(3, 4, 'accepted', 8), record(8)],
    ],
    ['a false 404', [submit(1, 2, 'accepted', 7), status(3, 4, 'not-found'), record(7)]],
    [
      'a 404 after which an older attempt is written',
      [submit(1, 2, 'unknown'), status(3, 4, 'not-found'), status(5, 6, 'accepted', 7), record(7)],
    ],
    ['a false "not-published"', [submit(1, 2, 'not-published'), record(7)]],
    ['"not-published" after a 202', [submit(1, 2, 'accepted', 7), submit(3, 4, 'not-published'), record(7)]],
    [
      '"accepted" before anything was sent',
      [status(1, 2, 'accepted', 7), submit(3, 4, 'accepted', 7), record(7)],
    ],
    ['a record of a request that said it published nothing', [submit(1, 2, 'store-unavailable'), record(7)]],
    ['a record that no client sent', [record(7)]],
    ['an altered record', [submit(1, 2, 'accepted', 7), record(7, { altered: true })]],
    ['an answer that no keyed submission gets', [submit(1, 2, '422 urn:problem-type:key-reused')]],
  ])('finds %s, among keys that are fine', async (_name, events) => {
    const fine = [submit(1, 2, 'accepted', 1), record(1)].map((event) => ({ ...event, key: 'fine' }));
    const { isLegal, report } = await judgeEvents([...fine, ...events]);
    expect(report).toContain('1 illegal, 0 undecided');
    expect(report).toMatch(/\n\nk\n\{/);
    expect(isLegal).toBe(false);
  });

  it('counts records that a request without an answer wrote after a 404', async () => {
    const { isLegal, report } = await judgeEvents([
      submit(1, 2, 'none'),
      status(3, 4, 'not-found'),
      status(5, 6, 'accepted', 7),
      record(7),
    ]);
    expect(report).toContain('0 illegal, 0 undecided\n1 written');
    expect(isLegal).toBe(true);
  });

  it.each<[string, Event]>([
    ['an operation', { ...submit(1, 2, 'unknown'), op: 'sumbit' }],
    ['a time', submit(2, 1, 'unknown')],
    ['a key', { ...record(1), key: '' }],
  ])('rejects a history with %s that it does not know', async (_name, event) => {
    await expect(judgeEvents([event])).rejects.toThrow('no event');
  });
});
