import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { startBroker } from '@workspace/kafka-broker';
import { eventually, freePort } from '@workspace/testing';
import { startRedis } from '@workspace/testing/stores';
import { Agent } from 'undici';
import { createAnswerLog, numberedBody, violations } from '../support/answer-log.ts';
import { untilHealth } from '../support/health.ts';
import { type Answer, post } from '../support/load.ts';
import { type RunningService, startService } from '../support/service.ts';
import { LEASE_MS, SHORT_LEASE } from './key-scene.ts';
import { type FaultScenario, pause, type ScenarioResult, seconds, type TestBed } from './test-bed.ts';

const KEYS = 20;
/** With the settings that a service has unless they are set. */
const DEFAULT_LEASE_MS = 36_000;
/** `message.timestamp.before.max.ms`: a request timeout less than the lease, as the service sets it. */
const beforeMaxOf = (long: boolean): number => (long ? DEFAULT_LEASE_MS - 1_000 : LEASE_MS - 1_500);

/** A network that holds back what is sent while it is cut, and delivers it when it is whole again, whoever sent it. */
interface Network {
  cut(): void;
  heal(): void;
  close(): void;
}

const startNetwork = async (port: number, target: number): Promise<Network> => {
  const sockets = new Set<Socket>();
  let held: (() => void)[] | undefined;
  const deliver = (action: () => void): void => void (held ? held.push(action) : action());
  const server = createServer((client) => {
    const broker = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (bytes) => deliver(() => void (to.destroyed || to.write(bytes))));
      from.on('close', () => deliver(() => to.destroy()));
    }
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    cut: () => (held = []),
    heal: () => {
      const late = held ?? [];
      held = undefined;
      for (const action of late) action();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

/** Makes one replica fail; `heal` ends that. */
type Failure = (replica: RunningService, network: Network) => { heal(): void };

/**
 * Two replicas share a key store. One fails with submissions on their way, for longer than a lease; their clients go to the other
 * one; then the first goes on. Every key must then be one record.
 */
const failOver = async (
  { long }: TestBed,
  { name, times, fail }: { name: string; times: number; fail: Failure },
): Promise<ScenarioResult> => {
  const topic = name;
  // Its own broker, as the network has to be where this one says that it is.
  const port = (await freePort()) ?? 0;
  const broker = await startBroker({ viaAdvertisedPort: port });
  const settings = { 'message.timestamp.before.max.ms': String(beforeMaxOf(long)) };
  await broker.createTopic(topic, { partitions: 3, settings });
  const leaseMs = long ? DEFAULT_LEASE_MS : LEASE_MS;
  const redis = await startRedis();
  // Of a store that is not new, so that keys are published at once.
  await redis.command('HSET', 'ops-intake:store', 'since', String(Date.now() - 86_400_000));
  const network = await startNetwork(port, broker.ports['VIA'] ?? 0);
  const agent = new Agent({ connections: 100 });
  const answers = createAnswerLog();
  const found: string[] = [];
  const start = async (at: number): Promise<RunningService> => {
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${at}`,
      KAFKA_TOPIC: topic,
      IDEMPOTENCY_STORE_URL: redis.url,
      ...(!long && SHORT_LEASE),
    });
    await untilHealth(service.url, 200);
    return service;
  };
  const submit = async ({ url }: RunningService, number: number): Promise<Answer | undefined> => {
    const answer = await post(agent, url, numberedBody(number), { 'idempotency-key': `${topic}-${number}` });
    if (answer?.status === 202) answers.record(number, 'acknowledged', answer.body);
    else if (answer?.body['outcome'] === 'not-published') answers.record(number, 'not-published');
    else answers.record(number, 'unknown', answer?.body);
    return answer;
  };
  const untilAccepted = (service: RunningService, number: number): Promise<Answer> =>
    eventually('202', async () => {
      const answer = await submit(service, number);
      return answer?.status === 202 && answer;
    });

  try {
    const first = await start(port);
    const second = await start(broker.port);
    for (let time = 0; time < times; time += 1) {
      const numbers = Array.from({ length: KEYS }, () => answers.next());
      await untilAccepted(first, answers.next());
      const { heal } = fail(first, network);
      const lost = numbers.map((number) => submit(first, number));
      await pause(leaseMs + 2_000);
      await Promise.all(numbers.map((number) => untilAccepted(second, number)));
      heal();
      await Promise.all(lost);
      await Promise.all(numbers.map((number) => untilAccepted(first, number)));
    }
    for (const service of [first, second]) if ((await service.stop()) !== 0) found.push('exit code not 0');
    const audit = await answers.audit(broker, topic);
    found.push(...violations(audit));
    // An unknown outcome allows no second record either.
    if (audit.records !== audit.acknowledged)
      found.push(`${audit.records} records of ${audit.acknowledged} keys`);
    return { figures: { times, lease: seconds(leaseMs), ...audit }, violations: found };
  } finally {
    network.close();
    await agent.destroy();
    await redis.stop();
    await broker.stop();
  }
};

/** R1: a replica is paused while submissions are on their way, as a virtual machine is, and goes on after their lease. */
export const replicaPaused: FaultScenario = {
  id: 'R1',
  fault: 'one of two replicas paused for longer than a lease, twice',
  run: (bed) =>
    failOver(bed, {
      name: 'paused',
      times: 2,
      fail: (replica) => {
        // A moment later: some submissions are on their way by then.
        const timer = setTimeout(() => replica.signal('SIGSTOP'), 5);
        return {
          heal: () => {
            clearTimeout(timer);
            replica.signal('SIGCONT');
          },
        };
      },
    }),
};

/** R2: a replica is cut off from the brokers, and the network delivers what it had sent after the lease. */
export const replicaCutOff: FaultScenario = {
  id: 'R2',
  fault: 'one of two replicas cut off from Kafka for longer than a lease; its bytes delivered then',
  run: (bed) =>
    failOver(bed, {
      name: 'cut-off',
      times: 1,
      fail: (_replica, network) => {
        network.cut();
        return network;
      },
    }),
};
