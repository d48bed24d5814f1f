import { health } from '../support/health.ts';
import type { Span } from '../support/load.ts';
import {
  type FaultScenario,
  acceptedMore,
  milliseconds,
  needlessUnknowns,
  startUnderLoad,
  pause,
  seconds,
} from './test-bed.ts';

/** F2: the broker stands still (SIGSTOP) under load: connections stay open, nothing is answered. */
export const brokerFrozen: FaultScenario = {
  id: 'F2',
  fault: 'SIGSTOP of the broker for 1, 5, 20 s',
  run: async (bed) => {
    const frozenFor = bed.long ? Array.from({ length: 10 }, () => [1, 5, 20]).flat() : [1, 6];
    const { service, load, answers, end } = await startUnderLoad(bed, 'broker-frozen', { keyedEvery: 4 });
    const healthMs: number[] = [];
    const unreadyAfter: number[] = [];
    const outages: Span[] = [];
    const silent: string[] = [];

    const watchHealth = async (durationMs: number): Promise<void> => {
      const began = performance.now();
      let unready: number | undefined;
      while (performance.now() - began < durationMs) {
        const { status, ms } = await health(service.url);
        healthMs.push(ms);
        if (status === 503) unready ??= performance.now() - began;
        await pause(50);
      }
      if (unready !== undefined) unreadyAfter.push(unready);
      else if (durationMs > 5_000) silent.push(`/health said 200 through ${seconds(durationMs)} of silence`);
    };

    for (const duration of frozenFor) {
      await acceptedMore(load, 2_000);
      const frozen = performance.now();
      bed.broker.freeze();
      await watchHealth(duration * 1_000);
      bed.broker.thaw();
      outages.push({ from: frozen, until: performance.now() });
      await load.accepted();
    }
    const { audit, found } = await end();
    const slowestHealth = Math.max(...healthMs);
    const late: string[] = [];
    const latestUnready = Math.max(...unreadyAfter);
    // 5 s is the service's deadline; the rest is the generator beside it on the same two cores.
    if (load.slowestMs > 5_500) late.push(`an answer took ${seconds(load.slowestMs)}`);
    const needless = needlessUnknowns(load, outages);
    if (needless > 0) late.push(`${needless} unknown although the broker answered again within 4 s`);
    if (slowestHealth > 50) late.push(`/health took ${milliseconds(slowestHealth)}`);
    if (latestUnready > 5_000) late.push(`/health turned 503 only after ${seconds(latestUnready)}`);
    return {
      figures: {
        freezes: frozenFor.length,
        ...audit,
        'unknown although back within 4 s': needless,
        'not-published': answers.counts['not-published'],
        'slowest answer': seconds(load.slowestMs),
        '/health 503 after, at most': seconds(latestUnready),
        'slowest /health': milliseconds(slowestHealth),
      },
      violations: [...silent, ...found],
      late,
    };
  },
};
