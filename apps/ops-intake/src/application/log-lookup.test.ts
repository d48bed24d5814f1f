import { systemTimers } from '@workspace/service-process';
import type { SearchResult } from '@workspace/schemas';
import { CLOCK_SKEW_MS, createLogLookup, mayHaveForgotten } from './log-lookup.ts';
import { LogUnreadable } from './record-search.ts';

const QUERY = ['id', new Date(CLOCK_SKEW_MS)] as const;
const FROM = { from: new Date(0) };

/** A search whose queries are answered when the test says so. */
const slowSearch = () => {
  const open: ((result: SearchResult) => void)[] = [];
  const search = {
    find: () => new Promise<SearchResult>((resolve) => open.push(resolve)),
    close: () => undefined,
  };
  return { search, open };
};

it('tells a question that the log is busy when as many search as may', async () => {
  const { search, open } = slowSearch();
  const lookUp = createLogLookup(search, { concurrent: 3, ofClient: 2 });
  const searching = [lookUp(...QUERY, 'a'), lookUp(...QUERY, 'a')];
  expect(await lookUp(...QUERY, 'a')).toEqual({ ...FROM, gap: 'busy' });
  searching.push(lookUp(...QUERY, 'b'));
  expect(await lookUp(...QUERY, 'c')).toEqual({ ...FROM, gap: 'busy' });
  open.forEach((answer) => answer({}));
  expect(await Promise.all(searching)).toEqual([FROM, FROM, FROM]);
});

it('lets others wait for their turn, one after the other, and no longer than they may', async () => {
  const { search, open } = slowSearch();
  const waits: { giveUp: () => void; isOver: boolean; milliseconds: number }[] = [];
  const timers = {
    ...systemTimers,
    setTimeout: <T>(callback: (argument: T) => void, milliseconds: number, argument: T) => {
      const wait = { giveUp: () => callback(argument), isOver: false, milliseconds };
      waits.push(wait);
      return Object.assign(wait, { unref: () => undefined });
    },
    clearTimeout: (timer: unknown) => void ((timer as (typeof waits)[number]).isOver = true),
  };
  const lookUp = createLogLookup(search, { concurrent: 1, queue: { waitMs: 2_500, timers } });
  const results = [lookUp(...QUERY), lookUp(...QUERY), lookUp(...QUERY), lookUp(...QUERY)];
  await new Promise(setImmediate);
  expect([open.length, waits.map(({ milliseconds }) => milliseconds)]).toEqual([1, [2_500, 2_500, 2_500]]);
  waits[1]!.giveUp();
  expect(await results[2]).toEqual({ ...FROM, gap: 'busy' });
  open[0]!({});
  await results[0];
  await new Promise(setImmediate);
  expect([open.length, waits[0]!.isOver, waits[2]!.isOver]).toEqual([2, true, false]);
  open[1]!({});
  await results[1];
  await new Promise(setImmediate);
  open[2]!({});
  expect(await Promise.all(results)).toEqual([FROM, FROM, { ...FROM, gap: 'busy' }, FROM]);
});

it('counts a search that waited for its turn like any other', async () => {
  const { search, open } = slowSearch();
  const lookUp = createLogLookup(search, { concurrent: 1, queue: { waitMs: 2_500, timers: systemTimers } });
  const first = [lookUp(...QUERY), lookUp(...QUERY)];
  await new Promise(setImmediate);
  open[0]!({});
  await first[0];
  await new Promise(setImmediate);
  const third = lookUp(...QUERY);
  await new Promise(setImmediate);
  expect(open).toHaveLength(2);
  open[1]!({});
  await first[1];
  await new Promise(setImmediate);
  open[2]!({});
  expect(await third).toEqual(FROM);
});

it('says that the log cannot be read, and passes on every other error', async () => {
  const failing = (error: Error) => createLogLookup({ find: () => Promise.reject(error) }, { concurrent: 1 });
  expect(await failing(new LogUnreadable('away'))(...QUERY)).toEqual({ ...FROM, gap: 'log-unreadable' });
  await expect(failing(new TypeError('a bug'))(...QUERY)).rejects.toThrow('a bug');
});

it('takes a store for one that may have forgotten until it is older than the clocks may differ', () => {
  const then = new Date(CLOCK_SKEW_MS);
  expect(mayHaveForgotten(undefined, then)).toBe(true);
  expect(mayHaveForgotten(new Date(1), then)).toBe(true);
  expect(mayHaveForgotten(new Date(0), then)).toBe(false);
});
