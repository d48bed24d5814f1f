import { violations } from '../support/answer-log.ts';
import type { Answer } from '../support/load.ts';
import type { RedisServer } from '@workspace/testing/stores';
import { type TestBed, type FaultScenario, pause } from './test-bed.ts';
import { type KeyScene, LEASE_MS, untilStore, withKeyScene } from './key-scene.ts';

const isReplay = ({ status, headers }: Answer): boolean =>
  status === 202 && headers['idempotent-replayed'] === 'true';

const say = ({ status, body }: Answer): string =>
  `${status} ${String(body['type'])} ${String(body['outcome'])}`;

/** Breaks the store so that it keeps its connections and answers with an error; returns what repairs it. */
const brokenBy: Record<string, (redis: RedisServer) => Promise<() => Promise<unknown>>> = {
  READONLY: async (redis) => {
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    return () => redis.command('REPLICAOF', 'NO', 'ONE');
  },
  OOM: async (redis) => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    return () => redis.command('CONFIG', 'SET', 'maxmemory', '0');
  },
  NOREPLICAS: async (redis) => {
    await redis.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
    return () => redis.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
  },
};

/**
 * One submission through an outage of the store: claimed, acknowledged by Kafka while the store cannot be reached, posted
 * again during the outage and after it. Whatever the store missed, the key makes one record.
 */
const throughOutage = async (
  { services, submitHeld, submit, submitUntil, answers }: KeyScene,
  number: number,
  outage: { begin(): Promise<void>; end(): Promise<void> },
  found: string[],
): Promise<void> => {
  const [one, two] = services as [KeyScene['services'][0], KeyScene['services'][0]];
  answers.next();
  const { release } = await submitHeld(one, number);
  await outage.begin();
  const first = await release();
  if (first.status !== 202) found.push(`the first answer was ${say(first)}`);
  // The instance that published knows the answer; any other must not call the record absent.
  const again = await submit(one, number);
  if (!isReplay(again)) found.push(`the same instance said ${say(again)} during the outage`);
  const elsewhere = await submit(two, number);
  if (
    elsewhere.body['outcome'] !== 'unknown' ||
    elsewhere.body['submissionId'] !== first.body['submissionId']
  ) {
    found.push(`another instance said ${say(elsewhere)} during the outage`);
  }
  await pause(LEASE_MS);
  await outage.end();
  await Promise.all([untilStore(one, undefined), untilStore(two, undefined)]);
  // The first instance reports to the store by itself: it has had no request since.
  const after = await submitUntil(two, number, ({ status }) => status === 202);
  if (!isReplay(after)) found.push('another instance published again after the outage');
};

const figuresOf = async (scene: KeyScene, found: string[], more: Record<string, number>) => {
  const audit = await scene.audit();
  found.push(...violations(audit));
  if (audit.records !== audit.acknowledged)
    found.push(`${audit.records} records for ${audit.acknowledged} keys`);
  return { figures: { ...more, ...audit }, violations: found };
};

const times = (bed: TestBed): number => (bed.long ? 5 : 1);

/** K1: the store is killed between a claim and the acknowledgement, and comes back with its data after the lease. */
export const storeKilled: FaultScenario = {
  id: 'K1',
  fault: 'key store killed between claim and acknowledgement',
  run: (bed) =>
    withKeyScene(bed, { name: 'store-killed', instances: 2 }, async (scene) => {
      const found: string[] = [];
      const { redis } = scene;
      for (let number = 0; number < times(bed); number += 1) {
        await throughOutage(scene, number, { begin: redis.kill, end: redis.restart }, found);
      }
      return figuresOf(scene, found, { outages: times(bed) });
    }),
};

/** K2: the store keeps its connections and answers every write with an error, for longer than a lease. */
export const storeRejectsWrites: FaultScenario = {
  id: 'K2',
  fault: 'key store answers READONLY, OOM, NOREPLICAS',
  run: (bed) =>
    withKeyScene(bed, { name: 'store-rejects', instances: 2 }, async (scene) => {
      const found: string[] = [];
      const kinds = Object.entries(brokenBy).slice(0, bed.long ? undefined : 2);
      const errors = Array.from({ length: times(bed) }, () => kinds).flat();
      for (const [number, [error, breakStore]] of errors.entries()) {
        let repair: () => Promise<unknown> = async () => undefined;
        const begin = async () => {
          repair = await breakStore(scene.redis);
          for (const service of scene.services) await untilStore(service, error);
        };
        await throughOutage(scene, number, { begin, end: async () => void (await repair()) }, found);
      }
      return figuresOf(scene, found, { errors: errors.length });
    }),
};

/** K3: one key four times while the broker stands still: no answer may call a record absent that is in the log. */
export const oneKeyBrokerFrozen: FaultScenario = {
  id: 'K3',
  fault: 'broker frozen, one Idempotency-Key four times',
  run: (bed) =>
    withKeyScene(bed, { name: 'key-frozen' }, async (scene) => {
      const found: string[] = [];
      const { services, submit, submitUntil, answers, redis } = scene;
      const service = services[0]!;
      let unknown = 0;
      for (let number = 0; number < times(bed); number += 1) {
        answers.next();
        bed.broker.freeze();
        const retries: Answer[] = [];
        for (let attempt = 0; attempt < 4; attempt += 1) retries.push(await submit(service, number));
        // The store does not change what is known of the record.
        await redis.kill();
        retries.push(await submit(service, number));
        await redis.restart();
        bed.broker.thaw();
        const ids = new Set(retries.map(({ body }) => body['submissionId']));
        if (ids.size !== 1 || ids.has(undefined)) found.push(`submission ids ${[...ids].join(' ')}`);
        for (const answer of retries) {
          if (answer.body['outcome'] !== 'unknown') found.push(`an answer was ${say(answer)}`);
          else unknown += 1;
        }
        await untilStore(service, undefined);
        await submitUntil(service, number, ({ status }) => status === 202);
      }
      const audit = await scene.audit();
      found.push(...violations(audit));
      return { figures: { freezes: times(bed), 'answers unknown': unknown, ...audit }, violations: found };
    }),
};
