import { captureLogger } from '@workspace/testing';
import { REAL } from '@workspace/release-catalogue/testing';
import { watchCatalogue } from './catalogue-watcher.ts';
import type { ReleaseCatalogue } from './release-catalogue.ts';

const START = new Date('2026-11-21T12:00:00Z');

const watch = (facts: Partial<ReleaseCatalogue>) => {
  let now = START;
  const served: unknown[] = [];
  const { logger, lines } = captureLogger();
  const watcher = watchCatalogue({
    facts: {
      source: 'memory',
      signature: () => Promise.resolve('as before'),
      load: () => Promise.resolve({ catalogue: REAL, warnings: [] }),
      ...facts,
    },
    logger,
    clock: () => now,
    opened: { catalogue: REAL, signature: 'as before', violations: [] },
    serve: (catalogue) => served.push(catalogue),
  });
  return { watcher, served, lines, passSeconds: (n: number) => (now = new Date(now.getTime() + n * 1000)) };
};

describe('watching the facts', () => {
  it('reads facts that look unchanged when it is told to', async () => {
    const { watcher, served } = watch({});
    await watcher.check();
    expect(served).toEqual([]);
    await watcher.check(true);
    expect(served).toEqual([REAL]);
  });

  it('serves facts that never stop changing once three checks have seen them change', async () => {
    let writes = 0;
    const { watcher, served } = watch({ signature: () => Promise.resolve(`write ${writes++}`) });
    await watcher.check();
    await watcher.check();
    expect(served).toHaveLength(0);
    await watcher.check();
    expect(served).toEqual([REAL]);
  });

  it('serves facts that changed while they were read as soon as they are settled', async () => {
    const seen = ['half', 'whole', 'whole', 'whole'];
    const { watcher, served } = watch({ signature: () => Promise.resolve(seen.shift()!) });
    await watcher.check();
    expect(served).toHaveLength(0);
    await watcher.check();
    expect(served).toEqual([REAL]);
  });

  it('does not report facts that were taken away while they were read, and others put in their place', async () => {
    const seen = ['old', 'new', 'new', 'new'];
    let loads = 0;
    const { watcher, served, lines } = watch({
      signature: () => Promise.resolve(seen.shift()!),
      load: () =>
        ++loads === 1
          ? Promise.reject(new Error('gone'))
          : Promise.resolve({ catalogue: REAL, warnings: [] }),
    });
    await watcher.check();
    expect([served, watcher.status().violations, lines]).toEqual([[], [], []]);
    await watcher.check();
    expect(served).toEqual([REAL]);
  });

  it('reports a read that does not end', async () => {
    let isReading = false;
    const { watcher, passSeconds } = watch({
      signature: () => {
        isReading = true;
        return new Promise(() => undefined);
      },
    });
    void watcher.check();
    while (!isReading) await new Promise(setImmediate);
    passSeconds(10);
    expect(watcher.status().violations).toEqual([]);
    passSeconds(1);
    expect(watcher.status().violations).toMatchObject([
      { rule: 'slow', detail: 'reading the data has taken 11 seconds so far' },
    ]);
  });

  it('reports that it cannot find out whether the facts have changed', async () => {
    let broken = true;
    const { watcher, lines } = watch({
      signature: () => (broken ? Promise.reject(new Error('no such device')) : Promise.resolve('new')),
    });
    await watcher.check();
    expect(watcher.status().violations).toMatchObject([{ detail: 'no such device' }]);
    expect(lines.at(-1)).toMatchObject({ level: 'error', source: 'memory' });
    broken = false;
    await watcher.check();
    expect(watcher.status().violations).toEqual([]);
  });

  it('judges rejected facts again after a minute, as its clock may have been behind', async () => {
    let isTooEarly = true;
    let loads = 0;
    const { watcher, served, lines, passSeconds } = watch({
      signature: () => Promise.resolve('published at midnight'),
      load: () => {
        loads += 1;
        return isTooEarly
          ? Promise.reject(new Error('still to come'))
          : Promise.resolve({ catalogue: REAL, warnings: [] });
      },
    });
    await watcher.check();
    passSeconds(59);
    await watcher.check();
    expect(loads).toBe(1);
    passSeconds(1);
    await watcher.check();
    expect([loads, served]).toEqual([2, []]);
    // The same reason is logged once.
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    isTooEarly = false;
    passSeconds(60);
    await watcher.check();
    expect(served).toEqual([REAL]);
    expect(watcher.status().violations).toEqual([]);
    passSeconds(600);
    await watcher.check();
    expect(loads).toBe(3);
  });

  it('no longer reports a failure to look at the facts once they are there again, unchanged', async () => {
    let isBroken = true;
    const { watcher, passSeconds } = watch({
      signature: () =>
        isBroken ? Promise.reject(new Error('no such device')) : Promise.resolve('as before'),
    });
    await watcher.check();
    isBroken = false;
    passSeconds(60);
    await watcher.check();
    expect(watcher.status().violations).toEqual([]);
  });
});
