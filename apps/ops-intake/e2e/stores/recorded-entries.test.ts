import { describeWith } from '@workspace/testing';
import { type RedisServer, startRedis } from '@workspace/testing/stores';
import { storeOpener } from '../../test/opened-stores.ts';
import { acceptedSubmission } from '../../src/application/submission-record.ts';
import { fingerprintOf, submissionIdOf } from '../../src/domain/submission-id.ts';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';

/**
 * What 0.2.0 left in Redis, for the key `order-7` of nobody and of `desk`. Not to be changed: an upgrade finds such entries. When
 * they cannot be read any more, the changelog has to say so under "Not compatible".
 */
const RECORDED = {
  body: '[{"operation":"buy","unit-cost":10.00,"quantity":100}]',
  fingerprint: 'uRrO2jaDMna5GOSnDb-3nYYPNyOkK83iq9rH8PObhBU',
  keys: { nobody: 'b4b9759c-4624-5fa0-893f-322d113f11f6', desk: 'e237aab0-060e-5cac-af4a-21c82739f22d' },
  answer: '[1,"operations",2,41]',
  /** of the principal */
  digest: 'Sb5BetdAgKADG2NrRM_Cb9',
};
const NEVER = '9999999999999';

const open = storeOpener(openRedisServer);

describeWith(['redis-server'], 'keys that 0.2.0 wrote to Redis', () => {
  let redis: RedisServer;
  const write = (id: string, fields: Record<string, string>) =>
    redis.command('HSET', `ops-intake:key:${id}`, ...Object.entries(fields).flat());
  const claim = async (id: string, fingerprint = RECORDED.fingerprint) => {
    const { store } = open(redis.url);
    await store.connected;
    return store.claim({ id, fingerprint, owner: 'of-now' });
  };
  beforeAll(async () => {
    redis = await startRedis();
  });
  beforeEach(() => redis.command('FLUSHALL'));
  afterAll(() => redis.stop());

  it('have the ids and fingerprints that clients get for the same requests now', () => {
    expect({ nobody: submissionIdOf('order-7'), desk: submissionIdOf('order-7', 'desk') }).toEqual(
      RECORDED.keys,
    );
    expect(fingerprintOf(Buffer.from(RECORDED.body))).toBe(RECORDED.fingerprint);
  });

  it('are answered as they were', async () => {
    const { fingerprint: f, answer: a, keys } = RECORDED;
    await write(keys.nobody, { s: 'answered', f, a });
    expect(await claim(keys.nobody)).toMatchObject({
      state: 'accepted',
      answer: { submissionId: keys.nobody, operations: 1, topic: 'operations', partition: 2, offset: 41 },
    });
    expect(await claim(keys.nobody, 'another')).toEqual({ state: 'reused' });
  });

  it('stay in flight, or of unknown outcome', async () => {
    const { fingerprint: f, keys } = RECORDED;
    await write(keys.nobody, { s: 'in-flight', f, o: 'of-then', u: NEVER, d: '0', t: '1763800000000' });
    expect(await claim(keys.nobody)).toEqual({ state: 'in-flight' });
    await write(keys.desk, { s: 'unknown', f, u: '1', d: '1', t: '1763800000000' });
    expect(await claim(keys.desk)).toEqual({
      state: 'unknown',
      claimedAt: new Date(1_763_800_000_000),
      isLeased: false,
    });
  });

  it('have the form that is written now', async () => {
    const { store } = open(redis.url);
    await store.connected;
    const { fingerprint, keys } = RECORDED;
    const key = { id: keys.desk, fingerprint, owner: 'of-now', principal: 'desk' };
    const written = () => redis.command('HGETALL', `ops-intake:key:${key.id}`);
    await store.claim(key);
    const [p, number] = [RECORDED.digest, expect.stringMatching(/^\d{13}$/)];
    expect(await written()).toEqual({
      ...{ s: 'in-flight', f: fingerprint, o: 'of-now', u: number, d: '0', p, t: number },
    });
    const answer = acceptedSubmission(key.id, 1, { topic: 'operations', partition: 2, offset: 41 });
    await store.settle(key, { outcome: 'accepted', answer });
    expect(await written()).toEqual({ s: 'answered', f: fingerprint, p, a: RECORDED.answer });
  });
});
