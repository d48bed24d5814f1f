import { percentile } from '../support/load.ts';
import { type FaultScenario, milliseconds, startUnderLoad, pause } from './test-bed.ts';

const queueRecords = 64;

/**
 * F8: ten times as many clients as the queue has places. A write takes 100 ms on this line, so that some 600 a second can
 * be taken and ten times as many are offered, without the generator eating the service's processor.
 */
export const overload: FaultScenario = {
  id: 'F8',
  fault: '10× overload: 640 clients on a queue of 64',
  run: async (bed) => {
    const durationMs = bed.long ? 60_000 : 6_000;
    bed.proxy.quality = { latencyMs: 50 };
    // As docs/operations.md advises where no container limits the memory: V8's young generation alone may grow to 134 MB.
    const env = { QUEUE_RECORDS: String(queueRecords), NODE_OPTIONS: '--max-semi-space-size=16' };
    const { service, load, end } = await startUnderLoad(bed, 'overload', {
      via: true,
      env,
      clients: queueRecords * 10,
      restMs: 100,
    });
    let highestRss = 0;
    const until = performance.now() + durationMs;
    while (performance.now() < until) {
      highestRss = Math.max(highestRss, service.rss());
      await pause(100);
    }
    const { audit, found } = await end();
    bed.proxy.quality = {};
    const shed = load.statuses.get(503) ?? 0;
    const p99 = percentile(load.acceptedMs, 0.99);
    if (shed < load.acceptedCount) found.push(`no overload: only ${shed} × 503`);
    if (highestRss > 256) found.push(`${highestRss.toFixed(0)} MiB resident`);
    const late = p99 > 500 ? [`p99 of the accepted ${milliseconds(p99)}`] : [];
    return {
      figures: {
        ...audit,
        '503': shed,
        'p99 of 202': milliseconds(p99),
        'RSS at most': `${highestRss.toFixed(0)} MiB`,
      },
      violations: found,
      late,
    };
  },
};
