import { Agent } from 'undici';
import { OPERATIONS } from '../../src/domain/operation.ts';
import { untilHealth } from '../support/health.ts';
import { operationText } from '../support/capital-gains.ts';
import { post } from '../support/load.ts';
import { type Random, seededRandom } from '@workspace/testing/seeded-random';
import { startService } from '../support/service.ts';
import { type FaultScenario } from './test-bed.ts';

const perBody = 1_000;

/** A decimal of at most 15 digits from the first that is not zero, and at most 8 behind the point, as text. */
export const randomDecimal = (random: Random): string => {
  const fraction = Math.floor(random() * 9);
  const whole = Math.floor(random() * (16 - fraction));
  const digits = (count: number): string =>
    Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
  const wholePart = digits(whole).replace(/^0+(?=\d)/, '') || '0';
  return fraction === 0 ? wholePart : `${wholePart}.${digits(fraction)}`;
};

const randomBody = (random: Random): string => {
  const operations = Array.from({ length: perBody }, () => {
    const quantity = String(1 + Math.floor(random() * Number.MAX_SAFE_INTEGER));
    return operationText(
      OPERATIONS[Math.floor(random() * OPERATIONS.length)]!,
      randomDecimal(random),
      quantity,
    );
  });
  return `[${operations.join(',')}]`;
};

/** F11: random decimals arrive in the log as the bytes that were posted. */
export const decimals: FaultScenario = {
  id: 'F11',
  fault: '10⁶ random decimals (short form 10⁵)',
  run: async (bed) => {
    const bodies = (bed.long ? 1_000_000 : 100_000) / perBody;
    const topic = await bed.topic('decimals');
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers,
      KAFKA_TOPIC: topic,
    });
    await untilHealth(service.url, 200);
    const agent = new Agent({ connections: 8 });
    const random = seededRandom(11);
    const posted = new Map<string, string>();
    const found: string[] = [];
    for (let at = 0; at < bodies; at += 8) {
      const batch = Array.from({ length: Math.min(8, bodies - at) }, () => randomBody(random));
      const answers = await Promise.all(batch.map((body) => post(agent, service.url, body)));
      answers.forEach((answer, index) => {
        if (answer?.status !== 202) found.push(`${answer?.status}: ${JSON.stringify(answer?.body)}`);
        else posted.set(String(answer.body['submissionId']), batch[index]!);
      });
    }
    await agent.close();
    await service.stop();
    let equal = 0;
    await bed.broker.consumeEach(topic, ({ key, value }) => {
      if (posted.get(key ?? '') === value) equal += 1;
    });
    if (equal !== bodies) found.push(`${bodies - equal} of ${bodies} records differ`);
    return {
      figures: { decimals: bodies * perBody, records: bodies, 'byte-equal': equal },
      violations: found,
    };
  },
};
