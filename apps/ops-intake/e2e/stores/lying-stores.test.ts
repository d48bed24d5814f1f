import { randomUUID } from 'node:crypto';
import { eventually } from '@workspace/testing';
import { WRONG_SERVER as WRONG_STATE } from '../../src/features/shared-keys/postgres/postgres-connections.ts';
import { openPostgresServer } from '../../src/features/shared-keys/postgres/postgres-server.ts';
import { WRONG_SERVER } from '../../src/features/shared-keys/redis/redis-client.ts';
import { openRedisServer } from '../../src/features/shared-keys/redis/redis-server.ts';
import { BAD_REPLY } from '../../src/features/shared-keys/checked-reply.ts';
import type { SharedStore } from '../../src/features/shared-keys/shared-store.ts';
import { StoreUnavailable } from '../../src/application/idempotency-store.ts';
import { type Row, startLyingPostgres, startLyingRedis } from '../support/lying-servers.ts';
import { claimOf, storeOpener } from '../../test/opened-stores.ts';

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const array = (...items: string[]): string => `*${items.length}\r\n${items.join('')}`;
const keyReply = (...items: string[]): string => array(array(...items));
const accepted = (answer: string): string => keyReply(bulk('accepted'), bulk(answer));
const deep = (depth: number): string => (depth === 0 ? ':1\r\n' : array(deep(depth - 1)));

/** What a server that is not Redis, or no good one, may answer to a script. */
const LIES: Readonly<Record<string, string>> = {
  'a null': '$-1\r\n',
  'a null array': '*-1\r\n',
  'a null of RESP3': '_\r\n',
  'an integer': ':1\r\n',
  OK: '+OK\r\n',
  'an empty text': '$0\r\n\r\n',
  'an empty error': '-\r\n',
  'an empty array': '*0\r\n',
  'an array of nulls': array('$-1\r\n', '$-1\r\n'),
  'an array of integers': array(':1\r\n', ':2\r\n'),
  'an array of texts': array(bulk('claimed'), bulk('0')),
  'more than was asked for': array(array(bulk('in-flight')), array(bulk('in-flight'))),
  'nested arrays': deep(200),
  'a boolean': '#t\r\n',
  'a double': ',nan\r\n',
  'a big number': '(123456789012345678901234567890\r\n',
  'a map': '%1\r\n+claimed\r\n+0\r\n',
  'a set': '~1\r\n+claimed\r\n',
  'a state that does not exist': keyReply(bulk('fine')),
  'a claim without a count': keyReply(bulk('claimed'), bulk('0'), bulk('1764000000000')),
  'a claim with a time that is none': keyReply(bulk('claimed'), bulk('0'), bulk('now'), ':1\r\n'),
  'a claim with a time beyond all dates': keyReply(bulk('claimed'), bulk('0'), bulk('9e99'), ':1\r\n'),
  'an unknown outcome without times': keyReply(bulk('unknown')),
  'an answer that is no JSON': accepted('{'),
  'an answer without members': accepted('[]'),
  'an answer that is an object': accepted('{"length":4}'),
  'an answer of null': accepted('null'),
  'an answer of texts': accepted('["1","t","0","0"]'),
  'an answer with a negative offset': accepted('[1,"t",0,-1]'),
  'an answer of no operations': accepted('[0,"t",0,1]'),
  'a megabyte': bulk('x'.repeat(1_048_576)),
  'an array that is too large to make': '*4294967296\r\n',
  'bytes that are no RESP': 'HTTP/1.1 400 Bad Request\r\n\r\n',
};

const calls = (store: SharedStore) => {
  const series = { series: randomUUID(), number: 1, holder: randomUUID(), owner: randomUUID() };
  return [store.claim(claimOf()), store.find(randomUUID(), undefined), store.sequences.take(series)];
};

/** All calls fail as those to a store that is unavailable, and that is counted and logged. */
const expectUnavailable = async ({ store, lines, types }: ReturnType<ReturnType<typeof storeOpener>>) => {
  await eventually('probe', () => types.length > 0);
  for (const outcome of await Promise.allSettled(calls(store)))
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) as Error });
  expect(store.status().error).toBeDefined();
  expect(lines.map(({ msg }) => msg)).toContain(
    'idempotency store unavailable; submissions with a key get 503',
  );
};

/** of the commands for one key */
const [PROBE_WORDS, SETTLE_WORDS] = [7, 11];
/** SQL states of a connection that is of no use any more, and some of a call that failed. */
const WRONG_STATES = [
  '08000',
  '08003',
  '08006',
  '08P01',
  '0A000',
  '25006',
  '25P02',
  '25P03',
  '26000',
  '42P05',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
];
/** The server read nothing more on that connection. */
const IDLE = '57P05';
const CALL_FAILED = ['40001', '40P01', '42P01', '53100', '53200', '57014', IDLE, 'XX000'];

it('an SQL state means the wrong server, or that the call failed', () => {
  expect([...WRONG_STATES, ...CALL_FAILED].filter((state) => WRONG_STATE.test(state))).toEqual(WRONG_STATES);
});

const SHORT = { timeoutMs: 300 };

describe('a Redis that lies', () => {
  const open = storeOpener(openRedisServer);

  it.each(Object.entries(LIES))('is unavailable: %s', async (_name, lie) => {
    const port = await startLyingRedis(([command]) => (/^EVAL/.test(command!) ? lie : '+OK\r\n'));
    await expectUnavailable(open(`redis://127.0.0.1:${port}`, SHORT));
  });

  it.each(['none', 'local', 'replicated'] as const)(
    'is unavailable when it answers everything with the same, whatever the durability: %s',
    async (durability) => {
      for (const lie of ['+OK\r\n', ':7\r\n', '$-1\r\n', array(':1\r\n', ':1\r\n')]) {
        const port = await startLyingRedis(() => lie);
        await expectUnavailable(open(`redis://127.0.0.1:${port}`, { ...SHORT, durability }));
      }
    },
  );

  /** @param lieOf what is said to a script on a connection; undefined: the truth */
  const startPartlyLying = (lieOf: (connection: number) => string | undefined) => {
    const since = bulk('1764000000000');
    return startLyingRedis(({ length, 0: command }, connection) => {
      if (!command!.startsWith('EVAL')) return '+OK\r\n';
      const lie = lieOf(connection);
      if (lie !== undefined) return lie;
      if (length === PROBE_WORDS) return array(since, ':1\r\n', since, bulk('noeviction'));
      if (length === SETTLE_WORDS) return keyReply(bulk('settled'));
      return keyReply(bulk('claimed'), bulk('0'), since, ':2\r\n');
    });
  };
  const CLAIMED_NEW = { state: 'claimed', outcomeUnknown: false };
  const claimSoon = (store: SharedStore) =>
    eventually('claim', () => store.claim(claimOf()).catch(() => undefined), 5_000);

  it('is used again once it tells the truth', async () => {
    let lie: string | undefined = 'garbage\r\n';
    const opened = open(`redis://127.0.0.1:${await startPartlyLying(() => lie)}`, SHORT);
    await expectUnavailable(opened);
    lie = undefined;
    expect(await claimSoon(opened.store)).toEqual(CLAIMED_NEW);
  });

  it.each([...WRONG_SERVER, 'ERR WAIT cannot be used with replica instances.'])(
    'is asked on another connection when it says that it is the wrong server: %s',
    async (error) => {
      const durability = error.includes('WAIT') ? 'replicated' : 'none';
      let isFailedOver = false;
      const port = await startLyingRedis((words, connection) => {
        if (words[0] === 'WAIT') return connection === 1 && isFailedOver ? `-${error}\r\n` : ':1\r\n';
        if (!words[0]!.startsWith('EVAL')) return '+OK\r\n';
        if (connection === 1 && isFailedOver && durability === 'none')
          return error === BAD_REPLY ? '+OK\r\n' : `-${error} not here\r\n`;
        const since = bulk('1764000000000');
        return words.length === PROBE_WORDS
          ? array(since, ':1\r\n', since, bulk('noeviction'))
          : keyReply(bulk('claimed'), bulk('0'), since, ':2\r\n');
      });
      const { store, types } = open(`redis://127.0.0.1:${port}`, { ...SHORT, durability });
      await store.connected;
      isFailedOver = true;
      await expect(store.claim(claimOf())).rejects.toThrow(StoreUnavailable);
      expect(await claimSoon(store)).toEqual(CLAIMED_NEW);
      expect(types[0]).toBe(error.includes('WAIT') ? 'READONLY' : error);
    },
  );
});

/** What a server says that tells the truth. */
const TRUTH = (statement: string): readonly Row[] => {
  if (statement.includes('pg_backend_pid')) return [{ process_id: 1, is_standby: false }];
  if (statement.includes('to_regclass')) return [{ exists: true }];
  if (statement.includes("'instance'")) return [{ since: 1_764_000_000_000, probes: 1, now: Date.now() }];
  return [];
};

const CLAIMED: Row = {
  state: 'claimed',
  earlier_unknown: false,
  answer: null,
  claimed_at: 0,
  is_leased: false,
  since: 1_764_000_000_000,
};
const claimedOrTruth = (statement: string): readonly Row[] =>
  statement.includes("'in-flight'") && !statement.includes('LEFT JOIN') ? [CLAIMED] : TRUTH(statement);
const { earlier_unknown: _missing, ...INCOMPLETE } = CLAIMED;
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  'no row': [],
  'a row of another table': [{ x: 1 }],
  'a row without a column': [INCOMPLETE as Row],
  'a state that does not exist': [{ ...CLAIMED, state: 'fine' }],
  'a state that is a number': [{ ...CLAIMED, state: 1 }],
  'a time that is a text': [{ ...CLAIMED, since: 'now' }],
  'a flag that is a text': [{ ...CLAIMED, earlier_unknown: 'no' }],
  'an answer without members': [{ ...CLAIMED, state: 'accepted', answer: '[]' }],
  'an answer that is null': [{ ...CLAIMED, state: 'accepted', answer: null }],
};

describe('a PostgreSQL that lies', () => {
  const open = storeOpener(openPostgresServer);
  const urlOf = (port: number) => `postgres://u:p@127.0.0.1:${port}/d`;

  it.each(Object.entries(ROWS))('makes its calls fail: %s', async (_name, rows) => {
    const truth = new Set(['pg_backend_pid', 'to_regclass', "'instance'"]);
    const port = await startLyingPostgres((statement) =>
      [...truth].some((part) => statement.includes(part)) ? TRUTH(statement) : rows,
    );
    const { store, types, lines } = open(urlOf(port), SHORT);
    await store.connected;
    for (const outcome of await Promise.allSettled(calls(store)))
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) as Error });
    expect(new Set(types)).toEqual(new Set(['BAD_REPLY']));
    expect(lines[0]).toMatchObject({ reason: expect.stringContaining('not as expected') as string });
  });

  it.each(Object.entries(ROWS))('is unavailable when it says that to everything: %s', async (_name, rows) => {
    await expectUnavailable(open(urlOf(await startLyingPostgres(() => rows)), SHORT));
  });

  it.each([...WRONG_STATES])(
    'is asked on other connections when it says that it is the wrong server: %s',
    async (state) => {
      let isFailedOver = false;
      let last = 0;
      const port = await startLyingPostgres((statement, connection) => {
        last = Math.max(last, connection);
        return isFailedOver && connection <= before ? state : claimedOrTruth(statement);
      });
      // No time limit: it is asked at once, also on a busy machine.
      const { store, types } = open(urlOf(port), { timeoutMs: 60_000 });
      await store.connected;
      // All connections that there may be.
      await Promise.all(Array.from({ length: 10 }, () => store.claim(claimOf())));
      const before = last;
      isFailedOver = true;
      await expect(store.claim(claimOf())).rejects.toThrow(StoreUnavailable);
      const claims = await Promise.allSettled(Array.from({ length: 10 }, () => store.claim(claimOf())));
      expect(new Set(claims.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
      expect(types[0]).toBe(state);
    },
  );

  it('is asked again on other connections when it ends those that are idle, and unavailable when it ends all', async () => {
    let last = 0;
    let isEnded = (_connection: number): boolean => false;
    const port = await startLyingPostgres((statement, connection) => {
      last = Math.max(last, connection);
      return isEnded(connection) ? IDLE : claimedOrTruth(statement);
    });
    const { store, types } = open(urlOf(port), { timeoutMs: 60_000 });
    await store.connected;
    await Promise.all(Array.from({ length: 10 }, () => store.claim(claimOf())));
    const before = last;
    isEnded = (connection) => connection <= before;
    await Promise.all(Array.from({ length: 30 }, () => store.claim(claimOf())));
    expect(types).toEqual([]);
    isEnded = () => true;
    await expect(store.claim(claimOf())).rejects.toThrow('ends connections before they are used');
  });

  it('is not sent a claim on another connection after its caller has given up', async () => {
    const endings = 12;
    let ended = endings;
    let claims = 0;
    const port = await startLyingPostgres((statement) => {
      if (ended < endings) {
        ended += 1;
        // Together longer than the caller waits.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        return IDLE;
      }
      if (statement.includes("'in-flight'")) claims += 1;
      return claimedOrTruth(statement);
    });
    const { store } = open(urlOf(port), { timeoutMs: 2_000 });
    await store.connected;
    ended = 0;
    await expect(store.claim(claimOf())).rejects.toThrow(StoreUnavailable);
    await eventually('a claim', () => store.claim(claimOf()).catch(() => undefined));
    expect(claims).toBe(1);
  });
});
