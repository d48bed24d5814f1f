import { Agent } from 'undici';
import { eventually } from '@workspace/testing';
import { apiKeys } from '../support/frames.ts';
import { untilHealth } from '../support/health.ts';
import { type Audit, type AnswerLog, createAnswerLog, numberedBody } from '../support/answer-log.ts';
import { type Answer, post } from '../support/load.ts';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { type RunningService, startService } from '../support/service.ts';
import type { TestBed } from './test-bed.ts';

/** Makes leases short enough to be waited out. */
export const SHORT_LEASE = {
  DEADLINE_MS: '2000',
  KAFKA_DELIVERY_TIMEOUT_MS: '2000',
  KAFKA_CONNECTION_TIMEOUT_MS: '100',
  // An acknowledgement may be held back as long.
  KAFKA_REQUEST_TIMEOUT_MS: '1500',
} as const;
/** How long a claim holds with SHORT_LEASE: deadline, delivery timeout and request timeout (docs/key-store.md). */
export const LEASE_MS = 2_000 + 2_000 + 1_500;

/** Instances of the service on one topic and one key store, behind the fault proxy. */
export interface KeyScene {
  readonly topic: string;
  readonly redis: RedisServer;
  readonly services: readonly RunningService[];
  readonly answers: AnswerLog;
  /** Posts a submission under its own key to one instance and notes what that instance said. */
  submit(service: RunningService, number: number): Promise<Answer>;
  /**
   * Posts a submission whose acknowledgement the proxy holds back, and resolves when Kafka has the record and the
   * service does not know it yet. `release` lets the acknowledgement through and resolves with the client's answer.
   */
  submitHeld(service: RunningService, number: number): Promise<{ release(): Promise<Answer> }>;
  /** Posts until the answer is what the test waits for; every answer is noted. */
  submitUntil(service: RunningService, number: number, is: (answer: Answer) => boolean): Promise<Answer>;
  /** Ends services and store, and compares the topic with the answers. */
  audit(): Promise<Audit>;
}

/** Runs `scene` and ends what it started, whatever becomes of it. */
export const withKeyScene = async <Result>(
  bed: TestBed,
  options: { name: string; instances?: number; env?: Record<string, string> },
  scene: (scene: KeyScene) => Promise<Result>,
): Promise<Result> => {
  const topic = await bed.topic(options.name);
  const redis = await startRedis();
  // Of a store that is not new: keys that it does not know are not looked up in the topic.
  await redis.command('HSET', 'ops-intake:store', 'since', String(Date.now() - 86_400_000));
  const agent = new Agent({ connections: 50 });
  const answers = createAnswerLog();
  const services: RunningService[] = [];

  const submit = async (service: RunningService, number: number): Promise<Answer> => {
    const key = { 'idempotency-key': `${topic}-${number}` };
    const answer = await post(agent, service.url, numberedBody(number), key);
    if (!answer) throw new Error('the service closed the connection without an answer');
    const { status, body } = answer;
    if (status === 202) answers.record(number, 'acknowledged', body);
    else if (body['outcome'] === 'unknown') answers.record(number, 'unknown', body);
    else if (body['outcome'] === 'not-published') answers.record(number, 'not-published');
    return answer;
  };

  const submitHeld = async (service: RunningService, number: number) => {
    const { struck } = bed.proxy;
    const before = struck.stall;
    let letThrough: (value?: unknown) => void = () => undefined;
    const until = new Promise((resolve) => (letThrough = resolve));
    bed.proxy.rules = [{ kind: 'stall', apiKey: apiKeys.produce, probability: 1, hold: { until } }];
    const answer = submit(service, number);
    await eventually('acknowledgement held back', () => struck.stall > before);
    bed.proxy.rules = [];
    return {
      release: () => {
        letThrough();
        return answer;
      },
    };
  };

  const submitUntil = (
    service: RunningService,
    number: number,
    is: (answer: Answer) => boolean,
  ): Promise<Answer> =>
    eventually('such an answer', async () => {
      const answer = await submit(service, number);
      return is(answer) && answer;
    });

  try {
    for (let instance = 0; instance < (options.instances ?? 1); instance += 1) {
      const service = await startService({
        KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${bed.proxy.port}`,
        KAFKA_TOPIC: topic,
        IDEMPOTENCY_STORE_URL: redis.url,
        ...SHORT_LEASE,
        ...options.env,
      });
      services.push(service);
      await untilHealth(service.url, 200);
      await untilStore(service, undefined);
    }
    return await scene({
      topic,
      redis,
      services,
      answers,
      submit,
      submitHeld,
      submitUntil,
      audit: async () => {
        for (const service of services) await service.stop();
        return answers.audit(bed.broker, topic);
      },
    });
  } finally {
    bed.proxy.rules = [];
    for (const service of services) service.signal('SIGKILL');
    await agent.destroy();
    await redis.stop();
  }
};

/** Resolves when /health reports this about the key store: a part of the reason, or undefined for nothing. */
export const untilStore = async (service: RunningService, reason: string | undefined): Promise<void> => {
  await eventually(`key store: ${reason ?? 'no warning'}`, async () => {
    const { status, checks } = (await (await fetch(`${service.url}/health`)).json()) as {
      status: string;
      checks: Record<string, { output?: string }[]>;
    };
    const output = checks['idempotency-store:connection']?.[0]?.output;
    // `down` when all that were submitted needed the store.
    if (reason !== undefined) return status !== 'up' && output?.includes(reason);
    const warns = (name: string): boolean => name.startsWith('idempotency-store:');
    return status !== 'down' && !Object.keys(checks).some(warns);
  });
};
