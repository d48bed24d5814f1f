import type { Broker } from '@workspace/kafka-broker';
import type { RedisServer } from '@workspace/testing/stores';
import type { Random } from '@workspace/testing/seeded-random';
import type { Relay } from './relay.ts';
import type { Replica } from './replica.ts';

/** Resolves after some seconds between two bounds, at once when the run is over. */
type Wait = (least: number, most: number) => Promise<void>;
type Fault = (wait: Wait, random: Random) => Promise<void>;

/**
 * The lease of a key is 36 s by default: some pauses and cuts are longer.
 */
const LONG = 45;

const WAYS = [['there', 'back'], ['there'], ['back']] as const;

const cutting =
  (relays: readonly Relay[], most: number): Fault =>
  async (wait, random) => {
    const ways = WAYS[Math.floor(random() * WAYS.length)] as (typeof WAYS)[number];
    for (const relay of relays) relay.cut(...ways);
    await wait(1, most);
    const forgetting = random() < 0.3;
    for (const relay of relays) relay.heal(forgetting);
  };

/** What can happen to an instance, and to its network. */
export const faultsOf = (replica: Replica): Record<string, Fault> => ({
  'instance killed': async (wait) => {
    await replica.kill();
    await wait(0, 5);
    await replica.start();
  },
  'instance ended by SIGTERM': async () => {
    await replica.end();
    await replica.start();
  },
  'instance paused': async (wait) => {
    replica.signal('SIGSTOP');
    await wait(1, LONG);
    replica.signal('SIGCONT');
  },
  'instance cut off from the brokers': cutting(replica.brokers, LONG),
  'instance cut off from one broker': async (wait, random) => {
    const one = replica.brokers[Math.floor(random() * replica.brokers.length)] as Relay;
    await cutting([one], LONG)(wait, random);
  },
  'instance cut off from the key store': cutting([replica.store], LONG),
  ...(replica.setClock && {
    'clock of the instance set': async (wait: Wait, random: Random) => {
      replica.setClock?.(Math.round((random() * 2 - 1) * CLOCKS_DIFFER_SECONDS));
      await wait(1, LONG);
      if (random() < 0.5) replica.setClock?.(0);
    },
  }),
});

/** As far as clocks differ. */
const CLOCKS_DIFFER_SECONDS = 600;

/** What can happen to brokers, of which one at a time may be missing. */
export const faultsOfBrokers = (brokers: readonly Broker[]): Record<string, Fault> => {
  const any = (random: Random): Broker => brokers[Math.floor(random() * brokers.length)] as Broker;
  return {
    'broker killed': async (wait, random) => {
      const broker = any(random);
      await broker.kill();
      await wait(0, 5);
      await broker.restart();
    },
    'broker paused': async (wait, random) => {
      const broker = any(random);
      broker.freeze();
      await wait(1, 20);
      broker.thaw();
    },
  };
};

/**
 * What can happen to the key store, which keeps its data when it is killed.
 * @param losesKeys whether it is emptied, too
 */
export const faultsOfStore = (redis: RedisServer, losesKeys: boolean): Record<string, Fault> => ({
  'key store killed': async (wait) => {
    await redis.kill();
    await wait(0, 5);
    await redis.restart();
  },
  'key store paused': async (wait) => {
    redis.freeze();
    await wait(1, 10);
    redis.thaw();
  },
  ...(losesKeys && {
    'key store emptied': async () => {
      await redis.command('FLUSHALL');
    },
  }),
});

/** Faults that continue, side by side for each of several parts of the system. */
export interface Faults {
  /** how often each happened */
  readonly counts: ReadonlyMap<string, number>;
  /** Ends all faults; resolves when everything is as it was, except for clocks. Rejects when a fault could not be carried out. */
  stop(): Promise<void>;
}

/**
 * Has one fault after another happen to each part, drawn at random, with some seconds between.
 * @param say is called with each fault
 */
export const startFaults = (
  parts: readonly Record<string, Fault>[],
  random: Random,
  say: (fault: string) => void,
): Faults => {
  const over = new AbortController();
  const counts = new Map<string, number>();
  const wait: Wait = (least, most) =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        over.signal.removeEventListener('abort', done);
        resolve();
      };

      const timer = setTimeout(done, (least + random() * (most - least)) * 1_000);
      over.signal.addEventListener('abort', done);
      if (over.signal.aborted) done();
    });
  const ended = Promise.all(
    parts.map(async (faults) => {
      const names = Object.keys(faults);
      for (;;) {
        await wait(2, 12);
        if (over.signal.aborted) return;
        const name = names[Math.floor(random() * names.length)] as string;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        say(name);
        await faults[name]?.(wait, random);
      }
    }),
  );
  // Awaited by stop(); until then a rejection is not lost.
  ended.catch(() => undefined);
  return {
    counts,
    stop: async () => {
      over.abort();
      await ended;
    },
  };
};
