import { percentile } from '../support/load.ts';
import { type FaultScenario, milliseconds, startUnderLoad, pause } from './test-bed.ts';

/** F4: a slow, jittery, narrow line that tears frames into small packets: nothing may fail, only take longer. */
export const badLine: FaultScenario = {
  id: 'F4',
  fault: 'line of 100±50 ms, 100 KB/s, 512-byte packets',
  run: async (bed) => {
    const durationMs = bed.long ? 60_000 : 6_000;
    const { load, end } = await startUnderLoad(bed, 'bad-line', {
      via: true,
      // A machine that is busy with other tests holds up answers for more than a second by itself.
      ...(!bed.long && { env: { KAFKA_REQUEST_TIMEOUT_MS: '4000' } }),
    });
    bed.proxy.quality = { latencyMs: 100, jitterMs: 50, bytesPerSecond: 100_000, sliceBytes: 512 };
    await pause(durationMs);
    bed.proxy.quality = {};
    const { audit, found } = await end();
    const failed = [...load.statuses].filter(([status]) => status !== 202);
    for (const [status, count] of failed) found.push(`${count} × ${status} below the queue limit`);
    return {
      figures: { ...audit, 'p99 of 202': milliseconds(percentile(load.acceptedMs, 0.99)) },
      violations: found,
    };
  },
};
