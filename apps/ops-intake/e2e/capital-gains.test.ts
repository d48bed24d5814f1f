import { type StandaloneBroker, describeWithKafka, startBroker } from '@workspace/kafka-broker';
import { Agent } from 'undici';
import { untilHealth } from './support/health.ts';
import { taxesOf } from '../examples/capital-gains.ts';
import { bodyOf, capitalGainsCases } from './support/capital-gains.ts';
import { post } from './support/load.ts';
import { startService } from './support/service.ts';

describeWithKafka('capital-gains cases 1 to 9, posted and read back by the console consumer', () => {
  let broker: StandaloneBroker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker?.stop());

  it('gives the taxes of the table from the records', async () => {
    // KAFKA_CREATE_TOPIC is true by default: the service makes its topic itself.
    const service = await startService({ KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers });
    await untilHealth(service.url, 200);
    const agent = new Agent();
    const caseOf = new Map<string, number>();
    for (const [index, { rows }] of capitalGainsCases.entries()) {
      const answer = await post(agent, service.url, bodyOf(rows));
      expect(answer).toMatchObject({ status: 202, body: { operations: rows.length, topic: 'operations' } });
      caseOf.set(String(answer?.body['submissionId']), index);
    }
    await agent.close();
    expect(await service.stop()).toBe(0);

    const records = await broker.consume('operations');
    expect(records).toHaveLength(capitalGainsCases.length);
    for (const { key, headers, value } of records) {
      const { rows, taxes } = capitalGainsCases[caseOf.get(key ?? '') ?? -1]!;
      expect(value).toBe(bodyOf(rows));
      expect(taxesOf(JSON.parse(value) as Parameters<typeof taxesOf>[0])).toEqual(taxes);
      expect(headers).toMatchObject({
        ce_specversion: '1.0',
        ce_id: key,
        'content-type': 'application/json',
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/) as unknown,
      });
    }
  });
});
