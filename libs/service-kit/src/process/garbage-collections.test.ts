import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { observeGarbageCollections } from './garbage-collections.ts';
import { createMetrics } from './metrics.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Timers that a test fires itself. */
const timersOf = () => {
  const set: { callback: () => void; milliseconds: number }[] = [];
  return {
    timers: {
      now: () => 0,
      setTimeout: <T>(callback: (argument: T) => void, milliseconds: number, argument: T) => {
        set.push({ callback: () => callback(argument), milliseconds });
        return { unref: () => undefined };
      },
      clearTimeout: () => undefined,
    },
    /** Fires the only one. @returns how long it was set for */
    fire: (): number => {
      expect(set).toHaveLength(1);
      const { callback, milliseconds } = set.pop()!;
      callback();
      return milliseconds;
    },
  };
};

const NAME = 'nodejs_gc_duration_seconds';
const countOf = async (registry: Registry, kind: string): Promise<number> => {
  // Node tells of collections in a turn of their own, and observers in another.
  for (let turns = 0; turns < 3; turns += 1) await turn();
  const line = new RegExp(`^${NAME}_count{kind="${kind}"} (.+)$`, 'm');
  return Number(line.exec(await registry.getSingleMetricAsString(NAME))?.[1]);
};

describe('the metric of garbage collections', () => {
  it('counts each of one second for ten, several in one turn, too, and none of the nine seconds after it', async () => {
    const registry = new Registry();
    const { timers, fire } = timersOf();
    observeGarbageCollections(registry, timers);
    expect(await countOf(registry, 'weakcb')).toBe(0);
    const before = await countOf(registry, 'major');
    collectGarbage();
    collectGarbage();
    const after = await countOf(registry, 'major');
    expect(after - before).toBeGreaterThanOrEqual(20);
    expect(after % 10).toBe(0);

    expect(fire()).toBe(1_000);
    const paused = await countOf(registry, 'major');
    collectGarbage();
    expect(await countOf(registry, 'major')).toBe(paused);

    expect(fire()).toBe(9_000);
    collectGarbage();
    expect(await countOf(registry, 'major')).toBeGreaterThan(paused);
    fire();
  });

  it('is like prom-client’s, whose other metrics are all there', async () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const theirs = await registry.getMetricsAsJSON();
    const ours = await createMetrics({ name: 'test', version: '1' }).registry.getMetricsAsJSON();
    const find = (name: string) => ours.find((metric) => metric.name === name);
    for (const { name, type, aggregator } of theirs) expect(find(name)).toMatchObject({ type, aggregator });
    const labelsOf = (values: readonly { labels: object }[] = []) =>
      new Set(values.map(({ labels }) => JSON.stringify({ ...labels, kind: '' })));
    collectGarbage();
    await countOf(registry, 'major');
    const collections = await registry.getSingleMetric(NAME)!.get();
    expect(labelsOf(find(NAME)?.values)).toEqual(labelsOf(collections.values));
  });
});
