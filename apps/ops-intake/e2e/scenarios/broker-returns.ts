import { type FaultScenario, acceptedMore, pause, startUnderLoad } from './test-bed.ts';

/** Longer than a broker needs to start, also on a busy machine. */
const DEADLINE_MS = '60000';

/**
 * F13: the broker dies, stands still, or its connections are reset, and it returns before the deadline: no client receives
 * `unknown`, because each batch is sent again until the broker answers.
 */
export const brokerReturns: FaultScenario = {
  id: 'F13',
  fault: 'broker killed, frozen and cut off, back within the deadline',
  run: async (bed) => {
    const rounds = bed.long ? 10 : 2;
    const { load, answers, end } = await startUnderLoad(bed, 'broker-returns', {
      via: true,
      env: { DEADLINE_MS, KAFKA_DELIVERY_TIMEOUT_MS: '120000', SHUTDOWN_TIMEOUT_MS: '90000' },
    });
    for (let round = 0; round < rounds; round += 1) {
      await acceptedMore(load, 1_000);
      await bed.broker.kill();
      await bed.broker.restart();
      await acceptedMore(load, 1_000);
      bed.broker.freeze();
      await pause(3_000);
      bed.broker.thaw();
      await acceptedMore(load, 1_000);
      bed.proxy.reset();
    }
    await load.accepted();
    const { audit, found } = await end();
    if (answers.counts.unknown > 0) found.push(`${answers.counts.unknown} answers unknown`);
    return {
      figures: {
        kills: rounds,
        freezes: rounds,
        resets: rounds,
        ...audit,
        'not-published': answers.counts['not-published'],
      },
      violations: found,
    };
  },
};
