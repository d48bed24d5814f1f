import { violations } from '../support/ledger.ts';
import { percentile } from '../support/load.ts';
import { type Row, milliseconds, openScene, pause } from './ground.ts';

/** F4: a slow, jittery, narrow line that tears frames into small packets: nothing may fail, only take longer. */
export const badLine: Row = {
  id: 'F4',
  fault: 'line of 100±50 ms, 100 KB/s, 512-byte packets',
  run: async (ground) => {
    const durationMs = ground.long ? 60_000 : 6_000;
    const { service, load, ledger, topic } = await openScene(ground, 'bad-line', { via: true });
    ground.proxy.quality = { latencyMs: 100, jitterMs: 50, bytesPerSecond: 100_000, sliceBytes: 512 };
    await pause(durationMs);
    ground.proxy.quality = {};
    await load.stop();
    await service.stop();
    const audit = await ledger.audit(ground.broker, topic);
    const found = violations(audit);
    const failed = [...load.statuses].filter(([status]) => status !== 202);
    for (const [status, count] of failed) found.push(`${count} × ${status} below the queue limit`);
    return {
      figures: { ...audit, 'p99 of 202': milliseconds(percentile(load.acceptedMs, 0.99)) },
      violations: found,
    };
  },
};
