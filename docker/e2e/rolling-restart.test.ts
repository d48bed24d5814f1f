import { randomUUID } from 'node:crypto';
import { type Cluster, kafkaAvailable, startCluster } from '@workspace/kafka-broker';
import { missingTools } from '@workspace/service-kit/testing';
import { type Neighbourhood, startNeighbourhood } from './support/neighbourhood.ts';
import { ask, type Question } from './support/request.ts';
import { type App, type Instance, startService } from './support/service.ts';
import { startValkey, type Valkey } from './support/valkey.ts';
import { eventually } from './support/wait.ts';

const kafka = kafkaAvailable();
const missing = [...missingTools('python3'), ...(kafka.ok ? [] : [kafka.missing])];
if (missing.length > 0 && process.env['CI']) throw new Error(`missing: ${missing.join(', ')}`);
if (missing.length > 0) console.warn(`no rolling restart of ops-intake: ${missing.join(', ')} missing`);

const CLIENTS = 16;
const ROUNDS = 2;

/** Clients that each ask again as soon as they are answered, until told to stop. */
function load(question: () => Question) {
  const counts = new Map<string, number>();
  let stopped = false;
  const client = async () => {
    while (!stopped) {
      const outcome = await ask(question()).then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      );
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  const answered = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    /** resolves when that many more requests were answered */
    more: (requests: number) => {
      const wanted = answered() + requests;
      return eventually(`${requests} answers`, () => (answered() >= wanted ? true : undefined));
    },
    stop: async () => {
      stopped = true;
      await Promise.all(clients);
      return Object.fromEntries(counts);
    },
  };
}

describe('a rolling restart behind the proxy, under load', () => {
  let around: Neighbourhood;
  beforeAll(async () => void (around = await startNeighbourhood()));
  afterAll(() => around.close());

  interface Roll {
    app: App;
    addresses: readonly string[];
    env: Record<string, string>;
    question: () => Omit<Question, 'port' | 'host'>;
  }

  /** Restarts all instances of a service by SIGTERM, one after the other, several times; the outcomes of all requests. */
  async function roll({ app, addresses, env, question }: Roll): Promise<Record<string, number>> {
    const begin = async (host: string): Promise<Instance> => {
      const instance = await startService(app, { host, port: around.ports[app], env });
      await eventually('health', async () => ((await fetch(`${instance.url}/health`)).ok ? true : undefined));
      return instance;
    };
    const instances = await Promise.all(addresses.map(begin));
    around.names.set(app, addresses);
    const whole = (): Question => ({ port: around.proxy.port, host: `${app}.localhost`, ...question() });
    const running = load(whole);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, host] of addresses.entries()) {
        await running.more(100);
        expect(await instances[index]?.end('SIGTERM')).toEqual({ code: 0, signal: null });
        await running.more(100);
        instances[index] = await begin(host);
      }
    }
    const outcomes = await running.stop();
    for (const instance of instances) await instance.end();
    return outcomes;
  }

  it('fails no lookup of ip-locate', async () => {
    const outcomes = await roll({
      app: 'ip-locate',
      addresses: ['127.0.0.2', '127.0.0.3'],
      env: { TRUST_PROXY: 'loopback' },
      question: () => ({ path: '/8.8.8.8/json/' }),
    });
    expect(Object.keys(outcomes)).toEqual(['200']);
    expect(outcomes['200']).toBeGreaterThan(800);
  });

  describe('as compose.cluster.yaml has it', () => {
    let cluster: Cluster;
    let store: Valkey;
    beforeAll(async () => {
      if (missing.length > 0) return;
      cluster = await startCluster();
      store = await startValkey();
    }, 300_000);
    afterAll(async () => {
      await store?.stop();
      await cluster?.stop();
    });

    (missing.length > 0 ? it.skip : it)(
      'fails no submission that has a key, and writes each once',
      async () => {
        const body = '[{"operation":"buy","unit-cost":10.00,"quantity":100}]';
        const outcomes = await roll({
          app: 'ops-intake',
          addresses: ['127.0.0.2', '127.0.0.3', '127.0.0.4'],
          env: {
            KAFKA_BOOTSTRAP_SERVERS: cluster.bootstrapServers,
            IDEMPOTENCY_STORE_URL: store.url,
          },
          question: () => ({
            path: '/operations',
            method: 'POST',
            headers: { 'content-type': 'application/json', 'idempotency-key': `"${randomUUID()}"` },
            body,
          }),
        });
        expect(Object.keys(outcomes)).toEqual(['202']);
        expect(outcomes['202']).toBeGreaterThan(1_200);
        const written = new Map<string | null, number>();
        await cluster.brokers[0]?.consumeEach('operations', ({ key }) => {
          written.set(key, (written.get(key) ?? 0) + 1);
        });
        expect([...written.values()].filter((times) => times > 1)).toEqual([]);
        expect(written.size).toBe(outcomes['202']);
      },
    );
  });
});
