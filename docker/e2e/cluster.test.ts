import { eventually } from '@workspace/testing';
import { keyedLoad, type KeyedLoad } from './support/keyed-load.ts';
import { blocksOf } from './support/runbooks.ts';
import { watch } from './support/prometheus.ts';
import { run } from './support/process.ts';
import { type ContainerInfo, Stack, SUBMISSION } from './support/stack.ts';

const CLUSTER = 'compose.yaml:compose.cluster.yaml';
/** The answer to a key whose earlier submission cannot be searched for in time. */
const NOTHING_PUBLISHED = '503 unknown This request published nothing';

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
  });
  afterAll(() => stack.remove());
  // A test that fails must not be the reason for which the next ones do.
  afterEach(async () => {
    await stack.up();
    await stack.writable();
  });

  it('refuses compose.cluster.yaml on the single broker, which continues untouched', async () => {
    const started = async () =>
      (await Promise.all(['proxy', 'ops-intake', 'kafka'].map((name) => stack.containers(name))))
        .flat()
        .map(({ Id, State }) => ({ Id, StartedAt: State.StartedAt }));
    const before = await started();
    stack.set({ COMPOSE_FILE: CLUSTER });
    await expect(stack.up()).rejects.toThrow('docker/runbooks/growing.md');
    stack.set({ COMPOSE_FILE: undefined });
    expect(await started()).toEqual(before);
    const { status, body } = await stack.ask('ops-intake', '/operations', SUBMISSION);
    expect(status).toBe(202);
    single.push((JSON.parse(body) as { submissionId: string }).submissionId);
    single.sort();
  });

  it('refuses to start over the records of the single broker, which are all there after the way back', async () => {
    // The id of an earlier cluster was left in docker/.env.
    stack.set({ COMPOSE_FILE: CLUSTER, KAFKA_CLUSTER_ID_OF_THREE: 'dGhyZWUtYnJva2Vycy0zMw' });
    await expect(stack.up()).rejects.toThrow('single-broker-check');
    expect(await stack.compose('logs', 'single-broker-check')).toContain('docker/runbooks/growing.md');
    // The other two services need no broker.
    for (const [service, path] of [
      ['release-web', '/releases/branches.php'],
      ['ip-locate', '/8.8.8.8/country/'],
    ] as const)
      expect((await stack.ask(service, path)).status).toBe(200);

    stack.set({ COMPOSE_FILE: undefined, KAFKA_CLUSTER_ID_OF_THREE: undefined });
    await stack.up('--remove-orphans');
    await stack.writable();
    expect(await keys()).toEqual(single);
  });

  it('starts beside them by the runbook, with three replicas of each record', async () => {
    const printed = await stack.shell(blocksOf('growing.md'));
    expect(printed).toMatch(/min\.insync\.replicas=2/);
    expect(await stack.containers('ops-intake')).toHaveLength(3);
    // A new key store has every key looked up in the topic, which an instance cannot do at once when it starts. This one has kept
    // every key for a day, as most have.
    const aDayAgo = String(Date.now() - 86_400_000);
    await stack.compose('exec', '-T', 'valkey', 'valkey-cli', 'hset', 'ops-intake:store', 'since', aDayAgo);
    await stack.compose('restart', 'ops-intake');
    await stack.up();
    await stack.writable();
  });

  /** Waits until the service has no warnings. */
  const recovered = () =>
    eventually('no warning', async () => {
      const { body } = await stack.ask('ops-intake', '/health');
      return (JSON.parse(body) as { status: string }).status === 'up';
    });

  /** Runs what happens under load; every acknowledged submission must be in the log, once unless a client received an unknown outcome. */
  const underLoad = async (happening: (load: KeyedLoad) => Promise<void>) => {
    const before = new Set(await stack.keys());
    const load = keyedLoad(stack);
    let statuses: Record<string, number> = {};
    try {
      await load.more(100);
      await happening(load);
      await load.more(100);
    } finally {
      statuses = await load.stop();
    }
    const written = (await stack.keys()).filter((key) => !before.has(key));
    const acknowledged = [...load.acknowledged.values()].sort();
    expect([...new Set(written)].sort()).toEqual(acknowledged);
    const twice = written.filter((key, index) => written.indexOf(key) !== index);
    expect(twice.filter((key) => !load.unknownOutcomes.has(key))).toEqual([]);
    return statuses;
  };

  it('loses no submission with a key while a broker is killed and comes back', async () => {
    await underLoad(async (load) => {
      await stack.compose('kill', 'kafka-2');
      await load.more(200);
      // Each replica asks the brokers itself; the proxy asks them in turn.
      await eventually('a warning of every replica', async () => {
        const answers = await Promise.all(
          Array.from({ length: 12 }, () => stack.ask('ops-intake', '/health')),
        );
        const warns = answers.every(
          ({ status, body }) => status === 200 && body.includes('kafka:in-sync-replicas'),
        );
        return warns ? true : undefined;
      });
      const printed = await stack.shell(blocksOf('replica-down.md'));
      expect(printed).toMatch(/"warn"[\s\S]*2 of 3 replicas in sync[\s\S]*kafka-2\S*\s+Exited/);
      await recovered();
    });
  });

  it('loses no submission with a key while clients reach a broker that is cut off from the others', async () => {
    const brokers = await Promise.all(
      ['kafka', 'kafka-2', 'kafka-3'].map(async (broker) => (await stack.containers(broker))[0]!),
    );
    const [first, ...others] = brokers.map(({ State, NetworkSettings }) => ({
      pid: String(State.Pid),
      address: Object.values(NetworkSettings.Networks)[0]!.IPAddress,
    }));
    const cut = async (action: '-A' | '-D') => {
      for (const { address } of others)
        for (const rule of [`INPUT -s ${address}`, `OUTPUT -d ${address}`]) {
          const iptables = ['iptables', action, ...rule.split(' '), '-j', 'DROP'];
          await run({ command: 'nsenter', args: ['-t', first!.pid, '-n', ...iptables] });
        }
    };
    await underLoad(async (load) => {
      await cut('-A');
      try {
        // More than are on their way: partitions that the first broker led have other leaders, which it does not know of.
        await load.more(300);
      } finally {
        await cut('-D');
      }
      await recovered();
    });
  });

  it('loses no submission with a key while two brokers come back with the addresses of each other', async () => {
    const brokers = async () =>
      (await Promise.all(['kafka-2', 'kafka-3'].map((broker) => stack.containers(broker)))).map(
        ([broker]) => ({
          id: broker!.Id,
          address: Object.values(broker!.NetworkSettings.Networks)[0]!.IPAddress,
        }),
      );
    let areExchanged = false;
    await underLoad(async () => {
      // Docker gives the lowest free address to the one that starts first. If one below theirs is free, they get that one first.
      for (let round = 0; round < 3 && !areExchanged; round += 1) {
        const before = await brokers();
        const inOrder = before.toSorted((a, b) =>
          b.address.localeCompare(a.address, 'en', { numeric: true }),
        );
        await stack.compose('kill', 'kafka-2', 'kafka-3');
        for (const { id } of inOrder) await run({ command: 'docker', args: ['start', id] });
        const after = await brokers();
        areExchanged = after.every(({ address }, at) => address === before[1 - at]!.address);
      }
      await recovered();
    });
    expect(areExchanged).toBe(true);
  });

  it('loses no submission with a key while two brokers are killed, and an alert leads to the page that brings them back', async () => {
    const prometheus = await watch(stack);
    try {
      await prometheus.until('sum(up{job="ops-intake"}) == 3', 1);
      const statuses = await underLoad(async () => {
        await stack.compose('kill', 'kafka-2', 'kafka-3');
        await prometheus.until('ALERTS{alertname="KafkaUnavailable",alertstate="firing"}', 1);
        const { KafkaUnavailable: page = '', ...others } = await prometheus.firing();
        // Too much load is not the cause, and its page would not help.
        expect(Object.values(others)).not.toContain('overload.md');
        const printed = await stack.shell(blocksOf(page));
        expect(printed).toMatch(/kafka-2\S*\s+Exited[\s\S]*kafka-3\S*\s+Exited[\s\S]*Topic: operations/);
      });
      expect(Object.keys(statuses).some((status) => status.startsWith('503'))).toBe(true);
    } finally {
      await prometheus.end();
    }
  });

  it('refuses the single broker under load, and loses no submission with a key', async () => {
    const others = async () =>
      [...(await stack.containers('kafka-2')), ...(await stack.containers('kafka-3'))].map(
        ({ Id, State }) => [Id, State.StartedAt],
      );
    const before = await others();
    await underLoad(async (load) => {
      await expect(stack.compose('-f', 'compose.yaml', 'up', '--detach', '--no-build')).rejects.toThrow(
        'single-broker-check',
      );
      const log = await stack.compose('-f', 'compose.yaml', 'logs', 'single-broker-check');
      expect(log).toContain('docker/runbooks/shrinking.md');
      // Nor by any other command of Compose.
      await expect(stack.compose('-f', 'compose.yaml', 'start', 'kafka')).rejects.toThrow();
      expect((await stack.containers('kafka')).map(({ State }) => State.Running)).toEqual([false]);
      await stack.up();
      await load.more(100);
    });
    expect(await others()).toEqual(before);
  });

  it('loses no submission with a key while a replica is killed, which an alert reports', async () => {
    const prometheus = await watch(stack);
    try {
      const running = async () =>
        (await stack.containers('ops-intake')).filter(({ State }) => State.Running).length;
      const missing = 'ALERTS{alertname="ReplicasMissing",alertstate="firing",job="ops-intake"}';
      await prometheus.until('sum(up{job="ops-intake"}) == 3', 1);
      await prometheus.until(missing, 0);
      const statuses = await underLoad(async (load) => {
        await stack.kill('ops-intake', 1);
        await load.more(200);
        await prometheus.until(missing, 1);
        // Docker leaves it so.
        expect(await running()).toBe(2);
        expect(await stack.shell(blocksOf('replica-down.md'))).toMatch(/ops-intake\S*\s+Exited \(137\)/);
        expect(await running()).toBe(3);
        await prometheus.until(missing, 0);
      });
      expect(statuses['202']).toBeGreaterThan(400);
    } finally {
      await prometheus.end();
    }
  });

  it('leaves a paused replica out after its first failures, until it runs again', async () => {
    const load = keyedLoad(stack);
    let statuses: Record<string, number> = {};
    /** When the requests began for which the proxy waited for a replica without an answer, in milliseconds. */
    const waits = async () =>
      (await stack.compose('logs', '--no-log-prefix', 'proxy'))
        .split('\n')
        .filter((line) => line.startsWith('{"time"'))
        .map((line) => JSON.parse(line) as { time: string; seconds: number; upstreamStatus: string })
        .filter(({ upstreamStatus }) => upstreamStatus.startsWith('504'))
        .map(({ time, seconds }) => Date.parse(time) - seconds * 1_000);
    /** How many submissions the replica has answered. */
    const answered = async () => {
      const { Id } = (await stack.containers('ops-intake'))[1] as ContainerInfo;
      const args = ['exec', Id, 'node', 'healthcheck.js', '/metrics'];
      const metrics = await run({ command: 'docker', args });
      return Number(
        /^http_request_duration_seconds_count\{.*method="POST".*status="202".*\} (\d+)$/m.exec(metrics)?.[1],
      );
    };
    const unkeyed: string[] = [];
    const submissions = 20;
    try {
      await load.more(100);
      await stack.pause('ops-intake', 1);
      await eventually('a first failure', async () => (await waits()).length > 0 || undefined);

      const began = Date.now();
      for (let number = 0; number < submissions; number++) {
        const { status, body } = await stack.ask('ops-intake', '/operations', SUBMISSION);
        if (status === 202) unkeyed.push((JSON.parse(body) as { submissionId: string }).submissionId);
        else expect([status, body]).toEqual([504, expect.stringContaining('"outcome":"unknown"')]);
      }
      await load.more(200);
      // One request tries the paused replica every ten seconds, of either kind.
      const tries = 1 + (Date.now() - began) / 10_000;
      expect((await waits()).filter((time) => time > began).length).toBeLessThanOrEqual(tries);
      expect(submissions - unkeyed.length).toBeLessThanOrEqual(tries);

      await stack.pause('ops-intake', 1, 'unpause');
      const before = await answered();
      await eventually('an answer of that replica', async () => (await answered()) > before + 5);
    } finally {
      // After a failure it is still paused, and the tests after this one need it.
      await stack.pause('ops-intake', 1, 'unpause').catch(() => undefined);
      statuses = await load.stop();
    }
    const keys = await stack.keys();
    expect(keys).toEqual(expect.arrayContaining([...load.acknowledged.values()]));
    expect(keys.filter((key) => unkeyed.includes(key)).sort()).toEqual(unkeyed.sort());
    // 409: the paused replica had begun with the key. 503: when it runs again, it takes nothing until its brokers answer again, and
    // on a busy machine the search for an earlier submission may not end in time.
    const others = Object.keys(statuses).filter(
      (status) => !/^(202|409|503 not-published)/.test(status) && !status.startsWith(NOTHING_PUBLISHED),
    );
    expect(others).toEqual([]);
  });

  it('loses no submission with a key while the store is killed and comes back', async () => {
    await underLoad(async () => {
      await stack.compose('kill', 'valkey');
      await stack.up('valkey');
    });
  });

  it('answers every submission with 202 while the replicas restart one by one', async () => {
    // On a busy machine, an answer of Kafka or the search for an earlier submission may not come in time: the client asks again, and
    // gets its 202. Replicas that lose answers at each restart do so each time.
    for (let attempt = 1; ; attempt += 1) {
      const statuses = await underLoad(async (load) => {
        for (let index = 0; index < 3; index++) {
          await stack.restart('ops-intake', index);
          await load.more(50);
        }
      });
      const { 202: accepted = 0, ...others } = statuses;
      const isRare = Object.values(others).reduce((sum, count) => sum + count, 0) <= accepted / 100;
      const rejected = Object.keys(others).filter((status) => !status.startsWith(NOTHING_PUBLISHED));
      if (isRare && rejected.length === 0) return;
      if (attempt === 3) expect(others).toEqual({});
    }
  });

  it('takes more memory for keys and more replicas by the runbooks, without losing a key', async () => {
    const headers = { ...SUBMISSION.headers, 'idempotency-key': '"before"' };
    const submit = () => stack.ask('ops-intake', '/operations', { ...SUBMISSION, headers });
    const submitted = () =>
      eventually('202', async () => {
        const answer = await submit();
        return answer.status === 202 ? answer : undefined;
      });
    const first = await submitted();
    expect(await stack.shell(blocksOf('key-store-full.md'))).toContain('1073741824');
    await stack.shell(blocksOf('overload.md').slice(3));
    expect(await stack.containers('ops-intake')).toHaveLength(5);
    const again = await submitted();
    expect(JSON.parse(again.body)).toMatchObject({
      submissionId: (JSON.parse(first.body) as { submissionId: string }).submissionId,
    });
  });

  it('says that the key store lost its keys, as the runbook shows', async () => {
    await stack.compose('exec', '-T', 'valkey', 'valkey-cli', 'flushall');
    const printed = await eventually('the loss', async () => {
      const shown = await stack.shell(blocksOf('key-store-lost.md'));
      return /losses_total [1-9]/.test(shown) && /lost data/.test(shown) ? shown : undefined;
    });
    expect(printed).toMatch(/^aof_enabled:1\r?$/m);
    expect(printed).toMatch(/cmdstat_flushall:calls=1/);
  });

  it('goes back by the runbook to the records of the single broker', async () => {
    await stack.shell(blocksOf('shrinking.md'));
    await stack.writable();
    expect(await keys()).toEqual(single);
  });
});
