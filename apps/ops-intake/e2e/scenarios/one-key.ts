import { Agent } from 'undici';
import { untilHealth } from '../support/health.ts';
import { numberedBody } from '../support/answer-log.ts';
import { post } from '../support/load.ts';
import { startService } from '../support/service.ts';
import { type FaultScenario } from './test-bed.ts';

/** F9: one submission posted fifty times at once under one Idempotency-Key. */
export const oneKey: FaultScenario = {
  id: 'F9',
  fault: 'one Idempotency-Key × 50 at once',
  run: async (bed) => {
    const keys = bed.long ? 50 : 5;
    const topic = await bed.topic('one-key');
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers,
      KAFKA_TOPIC: topic,
    });
    await untilHealth(service.url, 200);
    const agent = new Agent({ connections: 50 });
    const found: string[] = [];
    let conflicts = 0;
    let replays = 0;
    const ids: string[] = [];
    for (let number = 0; number < keys; number += 1) {
      const send = () =>
        post(agent, service.url, numberedBody(number), { 'idempotency-key': `"key-${number}"` });
      const concurrent = await Promise.all(Array.from({ length: 50 }, send));
      const afterwards = await send();
      const answers = [...concurrent, afterwards];
      const accepted = answers.filter((answer) => answer?.status === 202);
      const same = new Set(accepted.map((answer) => JSON.stringify(answer?.body)));
      if (same.size !== 1) found.push(`key ${number}: ${same.size} different 202s`);
      if (afterwards?.headers['idempotent-replayed'] !== 'true')
        found.push(`key ${number}: no replay afterwards`);
      conflicts += answers.filter((answer) => answer?.status === 409).length;
      replays += accepted.filter((answer) => answer?.headers['idempotent-replayed'] === 'true').length;
      if (accepted.length + answers.filter((answer) => answer?.status === 409).length !== answers.length) {
        found.push(`key ${number}: answers ${answers.map((answer) => answer?.status).join(' ')}`);
      }
      ids.push(String(accepted[0]?.body['submissionId']));
    }
    await agent.close();
    await service.stop();
    const records = await bed.broker.consume(topic);
    if (records.length !== keys) found.push(`${records.length} records of ${keys} keys`);
    if (records.some(({ key, headers }) => !ids.includes(key ?? '') || headers['ce_id'] !== key)) {
      found.push('a record under another id');
    }
    return {
      figures: { keys, posts: keys * 51, records: records.length, replays, '409': conflicts },
      violations: found,
    };
  },
};
