import { setTimeout as pause } from 'node:timers/promises';
import { submissionIdOf } from '../../src/domain/submission-id.ts';
import { createAnswerLog, type AnswerLog, numberedBody, violations } from '../support/answer-log.ts';
import { apiKeys } from '../support/frames.ts';
import { untilHealth } from '../support/health.ts';
import { startService } from '../support/service.ts';
import type { FaultScenario } from './test-bed.ts';

const RECORDS = 20;
const CLIENTS = 8;

interface Offset {
  partition: number | null;
  offset: number | null;
  error_code: number | null;
  outcome?: 'unknown' | 'not-published';
}

/** G1: clients of Confluent's API send each request again until it is answered with 200. */
export const bridgeUnderFaults: FaultScenario = {
  id: 'G1',
  fault: 'BRIDGE: Produce cut before 5 %, after 5 %, kill -9 of the broker, SIGSTOP for 6 s',
  run: async (bed) => {
    const rounds = bed.long ? 10 : 1;
    const topic = await bed.topic('bridge');
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${bed.proxy.port}`,
      KAFKA_TOPIC: topic,
      BRIDGE: 'true',
    });
    await untilHealth(service.url, 200);
    const { produce: apiKey } = apiKeys;
    const log = createAnswerLog();
    const found: string[] = [];
    const statuses: Record<string, number> = {};
    let stopped = false;

    const send = async (numbers: readonly number[], key: string): Promise<boolean> => {
      const values = numbers.map((number) => `{"value":${numberedBody(number)}}`);
      const answer = await fetch(`${service.url}/topics/${topic}`, {
        method: 'POST',
        headers: { 'content-type': 'application/vnd.kafka.json.v2+json', 'idempotency-key': `"${key}"` },
        body: `{"records":[${values.join(',')}]}`,
      });
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const { offsets } = (await answer.json()) as { offsets?: Offset[] };
      if (!offsets) {
        if (answer.ok) found.push(`${answer.status} without offsets`);
        return false;
      }
      for (const [index, one] of offsets.entries()) note(log, numbers[index]!, `${key}/${index}`, one);
      const failed = offsets.filter(({ error_code: code }) => code !== null).length;
      if (answer.ok && (failed > 0 || offsets.length !== numbers.length))
        found.push(`${answer.status} with ${failed} of ${offsets.length} records failed`);
      return answer.ok;
    };
    const client = async (name: number): Promise<void> => {
      for (let request = 0; !stopped; request += 1) {
        const numbers = Array.from({ length: RECORDS }, () => log.next());
        while (!(await send(numbers, `client-${name}-${request}`))) await pause(100);
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)));
    /** Continues when so many more requests were answered with 200. */
    const accepted = async (more: number): Promise<void> => {
      const wanted = (statuses['200'] ?? 0) + more;
      while ((statuses['200'] ?? 0) < wanted) await pause(20);
    };
    bed.proxy.rules = [
      { kind: 'cut-before', apiKey, probability: 0.05 },
      { kind: 'cut-after', apiKey, probability: 0.05 },
    ];
    for (let round = 0; round < rounds; round += 1) {
      await accepted(100);
      await bed.broker.kill();
      await bed.broker.restart();
      await accepted(100);
      bed.broker.freeze();
      await pause(6_000);
      bed.broker.thaw();
      await accepted(100);
    }
    bed.proxy.rules = [];
    stopped = true;
    await clients;
    const exit = await service.stop();
    const audit = await log.audit(bed.broker, topic);
    found.push(...violations(audit));
    if (audit.records !== audit.acknowledged)
      found.push(`${audit.records} records of ${audit.acknowledged} acknowledged ones`);
    if (exit !== 0) found.push(`exit code ${exit}`);
    const answered = Object.entries(statuses).map(([status, count]) => [`answers ${status}`, count] as const);
    return { figures: { ...audit, ...Object.fromEntries(answered) }, violations: found };
  },
};

const note = (log: AnswerLog, number: number, key: string, { partition, offset, outcome }: Offset): void => {
  const submissionId = submissionIdOf(key, undefined);
  if (partition !== null && offset !== null)
    log.record(number, 'acknowledged', { submissionId, partition, offset });
  else log.record(number, outcome ?? 'unknown', { submissionId });
};
