import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, LIBFAKETIME } from '@workspace/testing';
import { type RunningService, startService } from '../e2e/support/service.ts';
import { openRelay, type Relay } from './relay.ts';

/** An instance of the built service, behind relays to each broker and to the key store. */
export interface Replica {
  readonly name: string;
  readonly url: string;
  /** one for each broker, in their order */
  readonly brokers: readonly Relay[];
  readonly store: Relay;
  /** resolves when it listens */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** SIGTERM; resolves when it has ended */
  end(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Sets its wall clock so many seconds ahead, or back; undefined when it has the machine's. */
  readonly setClock: ((aheadSeconds: number) => void) | undefined;
  /** Kills it and closes its relays. */
  close(): Promise<void>;
}

export interface ReplicaOptions {
  name: string;
  /** the ports of its relays to the brokers, which the brokers advertise */
  brokerPorts: readonly number[];
  /** for its log and its clock */
  folder: string;
  hasOwnClock: boolean;
  env: Record<string, string>;
}

/** Opens the relays; starts nothing. */
export const openReplica = async (options: ReplicaOptions): Promise<Replica> => {
  const { name, brokerPorts, folder, hasOwnClock, env } = options;
  const brokers = await Promise.all(brokerPorts.map(openRelay));
  const store = await openRelay(await freePort());
  const port = await freePort();
  const clock = join(folder, `${name}.clock`);
  const setClock = (aheadSeconds: number): void =>
    writeFileSync(clock, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}`);
  setClock(0);
  const settings = {
    KAFKA_BOOTSTRAP_SERVERS: brokers.map((relay) => `127.0.0.1:${relay.port}`).join(','),
    IDEMPOTENCY_STORE_URL: `redis://127.0.0.1:${store.port}`,
    ...(hasOwnClock && {
      LD_PRELOAD: LIBFAKETIME,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }),
    ...env,
  };
  let running: RunningService | undefined;

  const signal = (one: NodeJS.Signals): void => running?.signal(one);
  const finish = async (one: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    signal(one);
    await running?.exited;
    const lines = running?.lines.map((line) => `${JSON.stringify(line)}\n`) ?? [];
    appendFileSync(join(folder, `${name}.log`), lines.join(''));
    running = undefined;
  };
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    brokers,
    store,
    start: async () => {
      running = await startService(settings, port);
    },
    kill: () => finish('SIGKILL'),
    end: () => finish('SIGTERM'),
    signal,
    setClock: hasOwnClock ? setClock : undefined,
    close: async () => {
      await finish('SIGKILL');
      for (const relay of [...brokers, store]) await relay.close();
    },
  };
};
