import { createHash } from 'node:crypto';
import { AclOperationTypes } from 'kafkajs';
import { Agent } from 'undici';
import { eventually } from '@workspace/testing';
import { createAnswerLog, violations } from '../support/answer-log.ts';
import { startGuardedBroker } from '../support/guarded-broker.ts';
import { untilHealth } from '../support/health.ts';
import { type Load, post, startLoad } from '../support/load.ts';
import { type RunningService, startService } from '../support/service.ts';
import { acceptedMore, type FaultScenario } from './test-bed.ts';

const TOPIC = 'accepted';
const REJECTED = 'rejected';
const TOKEN = 'token-of-desk-7-0123';
const QUEUE_BYTES = 200_000;
/** Rejected submissions that each fault meets: more than the queue has room for. */
const EACH = 200;

/**
 * X1: the topic of rejected submissions is missing, may not be written to, and its broker is frozen. Submissions are answered as
 * ever; what finds no room is counted, and everything else is written once the fault is over.
 */
export const rejectedTopicTroubles: FaultScenario = {
  id: 'X1',
  fault: 'topic of rejected submissions missing, not writable, and frozen',
  run: async () => {
    const broker = await startGuardedBroker();
    let load: Load | undefined;
    try {
      await broker.createTopic(TOPIC, { partitions: 3 });
      await broker.allow(TOPIC, AclOperationTypes.WRITE);
      await broker.allow(REJECTED, AclOperationTypes.DESCRIBE);
      const env = {
        ...broker.login,
        KAFKA_TOPIC: TOPIC,
        KAFKA_CREATE_TOPIC: 'false',
        KAFKA_PROBE_INTERVAL_MS: '200',
        AUTH_TOKENS: `desk-7:${TOKEN}`,
        REJECTED_TOPIC: REJECTED,
        REJECTED_QUEUE_BYTES: String(QUEUE_BYTES),
      };
      const service = await startService(env);
      await untilHealth(service.url, 200);
      const scene = openScene(service);
      const answers = createAnswerLog();
      load = startLoad({
        url: () => service.url,
        answers,
        clients: 16,
        restMs: 50,
        headers: { authorization: `Bearer ${TOKEN}` },
      });

      // Missing: the queue fills up, and the rest is counted.
      await scene.reject(EACH);
      await accepts(load);
      await scene.warned('UNKNOWN_TOPIC_OR_PARTITION');
      await scene.settled();
      const { dropped } = await scene.counts();
      if (dropped === 0 || dropped === EACH) scene.found.push(`missing: ${dropped} dropped of ${EACH}`);

      // There, but not writable: what was kept still waits.
      await broker.createTopic(REJECTED, { partitions: 3 });
      await scene.warned('AUTHORIZATION_FAILED');
      await accepts(load);
      const waiting = await scene.counts();
      if (waiting.written > 0 || waiting.queued === 0)
        scene.found.push(`not writable: ${JSON.stringify(waiting)}`);
      await broker.allow(REJECTED, AclOperationTypes.WRITE);
      await scene.emptied();
      const repaired = await scene.counts();
      const { written, failed } = repaired;
      if (written === 0 || written + failed !== EACH - dropped)
        scene.found.push(`repaired: ${JSON.stringify(repaired)}`);
      await accepts(load);

      // Frozen: rejections are answered although nothing can be written.
      await load.stop();
      broker.freeze();
      await scene.reject(EACH);
      broker.thaw();
      await scene.emptied();
      await untilHealth(service.url, 200);
      const after = await scene.counts();
      if (after.written + after.dropped + after.failed !== scene.sent)
        scene.found.push(`${scene.sent} rejected, counted ${JSON.stringify(after)}`);
      await service.stop();
      scene.found.push(...(await endsInTime(await startService({ ...env, REJECTED_TOPIC: 'nowhere' }))));

      const audit = await answers.audit(broker, TOPIC);
      const kept = await broker.consume(REJECTED);
      const ids = new Set(kept.map(({ headers }) => headers['ce_id']));
      // Those of unknown outcome may be there.
      if (ids.size < after.written || ids.size > after.written + after.failed)
        scene.found.push(`${ids.size} records, ${JSON.stringify(after)}`);
      for (const { value, headers } of kept) {
        if (createHash('sha256').update(value).digest('hex') !== headers['ce_sha256'])
          scene.found.push(`not the bytes of its digest: ${value}`);
      }
      return {
        figures: { ...audit, rejected: scene.sent, written: after.written, dropped: after.dropped },
        violations: [...violations(audit), ...scene.found],
      };
    } finally {
      await load?.stop();
      await broker.stop();
    }
  },
};

/** A service that ends while its topic is missing says what it did not write, and does not wait for it. */
const endsInTime = async (service: RunningService): Promise<string[]> => {
  const scene = openScene(service);
  await scene.reject(5);
  const logLine = service.logged('records of rejected submissions not written');
  const exit = await service.stop();
  const { records } = await logLine;
  if (exit !== 0 || records !== 5) scene.found.push(`exit ${exit}, ${String(records)} not written`);
  return scene.found;
};

/** Submissions are accepted all the while. */
const accepts = (load: Load): Promise<void> => acceptedMore(load, 100);

interface Counts {
  readonly written: number;
  readonly dropped: number;
  readonly failed: number;
  readonly queued: number;
}

const openScene = (service: RunningService) => {
  const agent = new Agent();
  const found: string[] = [];
  let sent = 0;
  const counts = async (): Promise<Counts> => {
    const text = await (await fetch(`${service.managementUrl}/metrics`)).text();
    const valueOf = (name: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length),
      );
    const records = (outcome: string): number =>
      valueOf(`operations_rejected_records_total{outcome="${outcome}"}`);
    return {
      written: records('written'),
      dropped: records('dropped'),
      failed: records('failed'),
      queued: valueOf('operations_rejected_queue_records'),
    };
  };
  return {
    found,
    counts,
    get sent() {
      return sent;
    },
    /** Sends so many submissions that are rejected, each of about two kilobytes. */
    reject: async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) {
        sent += 1;
        const body = `[{"operation":"hold-${sent}","unit-cost":1,"quantity":1}]${' '.repeat(2_000)}`;
        const answer = await post(agent, service.url, body, { authorization: `Bearer ${TOKEN}` });
        if (answer?.status !== 422) found.push(`rejected submission: ${answer?.status}`);
      }
    },
    /** Resolves when /health warns of the topic for this reason, and takes submissions. */
    warned: (reason: string): Promise<unknown> =>
      eventually(`${reason} in /health`, async () => {
        // Without a token, it gives no reasons.
        const answer = await fetch(`${service.url}/health`, {
          headers: { authorization: `Bearer ${TOKEN}` },
        });
        const { checks } = (await answer.json()) as { checks: Record<string, { output?: string }[]> };
        return answer.status === 200 && checks['kafka:rejected-topic']?.[0]?.output?.includes(reason);
      }),
    /** Resolves when everything that was rejected is dropped or waits. */
    settled: (): Promise<unknown> =>
      eventually('all counted', async () => {
        const { dropped, queued } = await counts();
        return dropped + queued === sent;
      }),
    emptied: (): Promise<unknown> => eventually('nothing queued', async () => (await counts()).queued === 0),
  };
};
