import { randomUUID } from 'node:crypto';
import { blocksOf } from './support/runbooks.ts';
import { Stack, SUBMISSION } from './support/stack.ts';
import { eventually } from './support/wait.ts';

const CLUSTER = 'compose.yaml:compose.cluster.yaml';

/** Submits a record with a key of its own until told to stop; a client that is not told 202 retries with the same key. */
function keyedLoad(stack: Stack, clients = 8) {
  /** submission ids by the key that they were acknowledged for */
  const acknowledged = new Map<string, string>();
  /** submission ids of which an answer said that they may be in Kafka */
  const doubtful = new Set<string>();
  const statuses = new Map<string, number>();
  let stopped = false;
  const attempt = async (key: string): Promise<boolean> => {
    const headers = { ...SUBMISSION.headers, 'idempotency-key': `"${key}"` };
    const answer = await stack
      .ask('ops-intake', '/operations', { ...SUBMISSION, headers })
      .catch((error: Error) => error);
    const status = answer instanceof Error ? answer.message : String(answer.status);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (answer instanceof Error) return false;
    const { submissionId, outcome } = JSON.parse(answer.body) as { submissionId?: string; outcome?: string };
    if (outcome === 'unknown' && submissionId) doubtful.add(submissionId);
    if (answer.status !== 202) return false;
    acknowledged.set(key, submissionId as string);
    return true;
  };
  const client = async () => {
    while (!stopped) {
      const key = randomUUID();
      await eventually(`202 for ${key}`, async () => ((await attempt(key)) ? true : undefined), 60_000);
    }
  };
  const running = Array.from({ length: clients }, client);
  // Awaited by stop(); until then a rejection is not lost.
  const ended = Promise.all(running);
  ended.catch(() => undefined);
  return {
    acknowledged,
    doubtful,
    /** Resolves when that many more submissions were acknowledged. */
    more: (submissions: number) => {
      const wanted = acknowledged.size + submissions;
      return eventually(
        `${submissions} more 202`,
        () => {
          if (acknowledged.size >= wanted) return true;
          throw new Error(JSON.stringify(Object.fromEntries(statuses)));
        },
        90_000,
      );
    },
    /** Resolves with how often each status was answered. */
    stop: async () => {
      stopped = true;
      await ended;
      return Object.fromEntries(statuses);
    },
  };
}

describe('from one broker to three', () => {
  let stack: Stack;
  /** submission ids answered with 202 by the single broker */
  const single: string[] = [];
  const keys = async () => (await stack.keys()).sort();

  beforeAll(async () => {
    stack = await Stack.create();
    await stack.up();
    await stack.writable();
    for (let i = 0; i < 50; i++) {
      const { status, body } = await stack.ask('ops-intake', '/operations', SUBMISSION);
      expect(status).toBe(202);
      single.push((JSON.parse(body) as { submissionId: string }).submissionId);
    }
    single.sort();
  }, 300_000);
  afterAll(() => stack.remove());

  it('refuses to start over the records of the single broker, and touches none', async () => {
    stack.set({ COMPOSE_FILE: CLUSTER });
    await expect(stack.up()).rejects.toThrow('single-broker-check');
    expect(await stack.compose('logs', 'single-broker-check')).toContain('docker/runbooks/growing.md');

    stack.set({ COMPOSE_FILE: undefined });
    await stack.up('--remove-orphans');
    await stack.writable();
    expect(await keys()).toEqual(single);
  }, 180_000);

  it('starts beside them by the runbook, with three replicas of each record', async () => {
    const printed = await stack.shell(blocksOf('growing.md'));
    expect(printed).toMatch(/min\.insync\.replicas=2/);
    expect(await stack.containers('ops-intake')).toHaveLength(3);
  }, 240_000);

  /** Runs what happens under load; every acknowledged submission must be in the log, once unless a client was told otherwise. */
  const underLoad = async (happening: (load: ReturnType<typeof keyedLoad>) => Promise<void>) => {
    const before = new Set(await stack.keys());
    const load = keyedLoad(stack);
    await load.more(100);
    await happening(load);
    await load.more(100);
    const statuses = await load.stop();
    const written = (await stack.keys()).filter((key) => !before.has(key));
    const acknowledged = [...load.acknowledged.values()].sort();
    expect([...new Set(written)].sort()).toEqual(acknowledged);
    const twice = written.filter((key, index) => written.indexOf(key) !== index);
    expect(twice.filter((key) => !load.doubtful.has(key))).toEqual([]);
    return statuses;
  };

  it('loses no submission with a key while a broker is killed and comes back', async () => {
    await underLoad(async (load) => {
      await stack.compose('kill', 'kafka-2');
      await load.more(200);
      await stack.up('kafka-2');
    });
  }, 240_000);

  it('loses no submission with a key while a replica is killed', async () => {
    const statuses = await underLoad(async (load) => {
      await stack.kill('ops-intake', 1);
      await load.more(200);
      await stack.up('ops-intake');
    });
    expect(statuses['202']).toBeGreaterThan(400);
  }, 240_000);

  it('loses no submission with a key while the store is killed and comes back', async () => {
    await underLoad(async () => {
      await stack.compose('kill', 'valkey');
      await stack.up('valkey');
    });
  }, 240_000);

  it('answers every submission with 202 while the replicas restart one by one', async () => {
    const statuses = await underLoad(async (load) => {
      for (let index = 0; index < 3; index++) {
        await stack.restart('ops-intake', index);
        await load.more(50);
      }
    });
    expect(Object.keys(statuses)).toEqual(['202']);
  }, 240_000);

  it('takes more memory for keys and more replicas by the runbooks, without losing a key', async () => {
    const headers = { ...SUBMISSION.headers, 'idempotency-key': '"before"' };
    const submit = () => stack.ask('ops-intake', '/operations', { ...SUBMISSION, headers });
    const first = await submit();
    expect(first.status).toBe(202);
    expect(await stack.shell(blocksOf('key-store-full.md'))).toContain('1073741824');
    await stack.shell(blocksOf('overload.md').slice(3));
    expect(await stack.containers('ops-intake')).toHaveLength(5);
    const again = await eventually('202', async () => {
      const answer = await submit();
      return answer.status === 202 ? answer : undefined;
    });
    expect(JSON.parse(again.body)).toMatchObject({
      submissionId: (JSON.parse(first.body) as { submissionId: string }).submissionId,
    });
  }, 240_000);

  it('still has the records of the single broker in its volume', async () => {
    stack.set({});
    await stack.up('--remove-orphans');
    await stack.writable();
    expect(await keys()).toEqual(single);
  }, 180_000);
});
