import { withAdmin } from '@workspace/kafka-broker';
import { ConfigResourceTypes } from 'kafkajs';
import { Agent } from 'undici';
import { eventually } from '@workspace/testing';
import { bodyOf, capitalGainsCases } from '../support/capital-gains.ts';
import { untilHealth } from '../support/health.ts';
import { type Answer, post } from '../support/load.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type TestBed, type FaultScenario } from './test-bed.ts';

const small = bodyOf(capitalGainsCases[0]!.rows);
const large = bodyOf(Array.from({ length: 100 }, () => capitalGainsCases[0]!.rows).flat());

/** Posts until an answer has this status; what it was. */
const untilAnswer = (
  service: RunningService,
  body: string,
  status: number,
  statuses: (number | undefined)[] = [],
): Promise<Answer> =>
  eventually(`answer ${status}`, async () => {
    const answer = await post(agent, service.url, body);
    statuses.push(answer?.status);
    return answer?.status === status && answer;
  });

const agent = new Agent();

/** The topic is deleted under a running service, and created again. */
const topicDeleted = async (bed: TestBed, found: string[]): Promise<void> => {
  const topic = await bed.topic('deleted');
  const service = await startService({
    KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers,
    KAFKA_TOPIC: topic,
    KAFKA_CREATE_TOPIC: 'false',
  });
  await untilHealth(service.url, 200);
  await untilAnswer(service, small, 202);
  await bed.broker.deleteTopic(topic);
  const problem = await untilAnswer(service, small, 503);
  if (problem.body['outcome'] !== 'not-published')
    found.push(`topic deleted: outcome ${String(problem.body['outcome'])}`);
  await untilHealth(service.url, 503);
  await bed.broker.createTopic(topic, { partitions: 3 });
  await untilAnswer(service, small, 202);
  await untilHealth(service.url, 200);
  await service.stop();
  if ((await bed.broker.consume(topic)).length !== 1) found.push('topic deleted: not one record afterwards');
};

/** The topic takes only small records for a while. */
const smallerMessages = async (bed: TestBed, found: string[]): Promise<void> => {
  const topic = await bed.topic('smaller');
  const service = await startService({
    KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers,
    KAFKA_TOPIC: topic,
  });
  await untilHealth(service.url, 200);
  const limit = (bytes: number) =>
    withAdmin(bed.broker.bootstrapServers, (admin) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: ConfigResourceTypes.TOPIC,
            name: topic,
            configEntries: [{ name: 'max.message.bytes', value: String(bytes) }],
          },
        ],
      }),
    );
  // The broker may take a last large record after the limit is set.
  const statuses: (number | undefined)[] = [];
  await untilAnswer(service, large, 202, statuses);
  await limit(2_000);
  const problem = await untilAnswer(service, large, 413, statuses);
  if (problem.body['outcome'] !== 'not-published')
    found.push(`smaller messages: outcome ${String(problem.body['outcome'])}`);
  // Together with others: each is judged on its own.
  const bodies = Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? large : small));
  const answers = await Promise.all(bodies.map((body) => post(agent, service.url, body)));
  answers.forEach((answer, index) => {
    const expected = index % 4 === 0 ? 413 : 202;
    statuses.push(answer?.status);
    if (answer?.status !== expected) found.push(`smaller messages: ${answer?.status} instead of ${expected}`);
  });
  await limit(1_048_588);
  await untilAnswer(service, large, 202, statuses);
  await service.stop();
  const records = (await bed.broker.consume(topic)).length;
  const accepted = statuses.filter((status) => status === 202).length;
  if (records !== accepted) found.push(`smaller messages: ${records} records of ${accepted} accepted`);
};

/** F10: the topic is deleted, or takes only smaller records, until an operator repairs it. */
export const topicTroubles: FaultScenario = {
  id: 'F10',
  fault: 'topic deleted, smaller max.message.bytes',
  run: async (bed) => {
    const violations: string[] = [];
    await topicDeleted(bed, violations);
    await smallerMessages(bed, violations);
    return { figures: { troubles: 2, 'recovered without a restart': 2 }, violations };
  },
};
