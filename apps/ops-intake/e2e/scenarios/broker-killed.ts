import { seededRandom } from '@workspace/testing/seeded-random';
import type { Span } from '../support/load.ts';
import {
  type FaultScenario,
  acceptedMore,
  needlessUnknowns,
  startUnderLoad,
  pause,
  seconds,
} from './test-bed.ts';

/** F1: the broker dies by kill -9 under load and comes back after 0 to 5 s. */
export const brokerKilled: FaultScenario = {
  id: 'F1',
  fault: 'kill -9 of the broker, back after 0–5 s',
  run: async (bed) => {
    const times = bed.long ? 20 : 2;
    const random = seededRandom(1);
    const { load, answers, end } = await startUnderLoad(bed, 'broker-killed', { keyedEvery: 4 });
    const outages: Span[] = [];
    let slowestRecovery = 0;
    for (let round = 0; round < times; round += 1) {
      await acceptedMore(load, 2_000);
      const killed = performance.now();
      await bed.broker.kill();
      await pause(random() * 5_000);
      await bed.broker.restart();
      const ready = performance.now();
      outages.push({ from: killed, until: ready });
      await load.accepted();
      slowestRecovery = Math.max(slowestRecovery, performance.now() - ready);
    }
    const { audit, found } = await end();
    const late: string[] = [];
    if (slowestRecovery > 5_000)
      late.push(`first 202 only ${seconds(slowestRecovery)} after the broker was ready`);
    const needless = needlessUnknowns(load, outages);
    if (needless > 0) late.push(`${needless} unknown although the broker was back within 4 s`);
    if (load.slowestMs > 6_000) late.push(`an answer took ${seconds(load.slowestMs)}`);
    return {
      figures: {
        kills: times,
        ...audit,
        'unknown although back within 4 s': needless,
        'not-published': answers.counts['not-published'],
        'first 202 after ready, at most': seconds(slowestRecovery),
        'slowest answer': seconds(load.slowestMs),
      },
      violations: found,
      late,
    };
  },
};
