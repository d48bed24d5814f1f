import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';
import { Histogram, type Registry } from 'prom-client';
import { systemTimers, type Timers } from './timers.ts';

const KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** One second of ten is observed. */
const OBSERVED_MS = 1_000;
const WEIGHT = 10;

/**
 * The histogram of garbage collections, with prom-client's name, labels and buckets. prom-client observes all of them, but
 * Node makes an entry of each with four functions, parts of which are old objects: 4 % of the CPU of a small request, and
 * 8 MB. Here each collection of the observed seconds counts for ten.
 */
export const observeGarbageCollections = (registry: Registry, timers: Timers = systemTimers): void => {
  const durations = new Histogram({
    name: 'nodejs_gc_duration_seconds',
    help: `Garbage collection duration by kind, one of major, minor, incremental or weakcb; estimated from one second of ${WEIGHT}`,
    labelNames: ['kind'],
    buckets: [0.001, 0.01, 0.1, 1, 2, 5],
    registers: [registry],
  });
  for (const kind of Object.values(KINDS)) durations.zero({ kind });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail, duration } = entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail };
      const kind = KINDS[detail.kind!]!;
      for (let count = 0; count < WEIGHT; count += 1) durations.observe({ kind }, duration / 1_000);
    }
  });
  const observe = (): void => {
    observer.observe({ entryTypes: ['gc'] });
    timers.setTimeout(pause, OBSERVED_MS, undefined).unref();
  };
  const pause = (): void => {
    observer.disconnect();
    timers.setTimeout(observe, (WEIGHT - 1) * OBSERVED_MS, undefined).unref();
  };
  observe();
};
