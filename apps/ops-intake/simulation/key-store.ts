import { createMemoryStore, type MemoryStoreOptions } from '../src/adapters/memory/memory-store.ts';
import { CallFailed } from '../src/adapters/shared-store/call-failed.ts';
import type { ServerEvents } from '../src/adapters/shared-store/shared-store.ts';
import type { StoreServer } from '../src/adapters/shared-store/store-server.ts';
import type { IdempotencyStore } from '../src/application/idempotency-store.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';

/** How many claims a connection was told of, see `adapters/redis/scripts.ts`. */
interface Counter {
  confirmed: number;
}

/** Carries out a command at once, on a store that is its own. */
type Command = (store: IdempotencyStore) => Promise<unknown>;

/**
 * The server of the key store. The store in memory is the model of those on servers: one suite holds all of them to the same
 * behaviour.
 */
export class KeyStore {
  readonly machine: Machine;
  readonly #times: Pick<MemoryStoreOptions, 'ttlMs' | 'leaseMs'>;
  /** the time of the command that is carried out */
  #time: number;
  #store: IdempotencyStore;
  /** undefined until a connection finds that it is missing */
  #since: number | undefined;
  #counts = new Map<Counter, number>();
  /** every command that writes */
  #written: { at: number; command: Command }[] = [];

  constructor(machine: Machine, times: Pick<MemoryStoreOptions, 'ttlMs' | 'leaseMs'>) {
    this.machine = machine;
    this.#times = times;
    this.#time = machine.wallClock;
    this.#store = this.#newStore();
  }

  /** FLUSHALL, or an empty server in the place of this one. */
  clear(): void {
    this.#written = [];
    this.#counts.clear();
    this.#since = undefined;
    this.#store = this.#newStore();
  }

  /** A replica takes over that lacks the writes of the last milliseconds. */
  loseLatest(milliseconds: number): void {
    const kept = this.#written.filter(({ at }) => at <= this.machine.wallClock - milliseconds);
    const since = this.#since;
    this.clear();
    this.#since = since;
    for (const { at, command } of kept) void this.#write(at, command);
  }

  /** The connection of one process. Commands are carried out in order, and one that is not answered in time may still be. */
  connect(process: Machine, network: Network, events: ServerEvents): StoreServer {
    const counter: Counter = { confirmed: 0 };
    const up = network.pipe(process, this.machine);
    const down = network.pipe(this.machine, process);
    const call = <Reply>(carryOut: () => Promise<Reply>): Promise<Reply> =>
      new Promise((resolve, reject) => {
        if (this.machine.state === 'dead') {
          reject(new CallFailed('DISCONNECTED', false, 'not connected'));
          return;
        }
        up.send(() => void carryOut().then((reply) => down.send(() => resolve(reply))));
      });
    process.after(0, events.connected);
    return {
      claim: (claim) =>
        call(async () => {
          const since = this.#sinceFor(counter);
          const answer = await this.#write(this.machine.wallClock, async (store) => {
            const claimed = await store.claim(claim);
            if (claimed.state === 'claimed') this.#counts.set(counter, this.#countOf(counter) + 1);
            return claimed;
          });
          return { answer, since, count: this.#countOf(counter) };
        }).then(({ answer, since, count }) => {
          if (answer.state !== 'claimed') return { answer };
          counter.confirmed = Math.max(counter.confirmed, count);
          return { answer, since };
        }),
      settle: (claim, outcome) =>
        call(() => this.#write(this.machine.wallClock, (store) => store.settle(claim, outcome))),
      find: (id, principal) =>
        call(async () => {
          this.#time = this.machine.wallClock;
          const answer = await this.#store.find(id, principal);
          const isBehind = this.#countOf(counter) < counter.confirmed;
          return answer ? { answer } : { answer, since: new Date((!isBehind && this.#since) || this.#time) };
        }),
      sequences: {
        take: (claim) =>
          call(() => this.#write(this.machine.wallClock, (store) => store.sequences.take(claim))),
        settle: (claim, outcome) =>
          call(() => this.#write(this.machine.wallClock, (store) => store.sequences.settle(claim, outcome))),
      },
      probe: () => call(async () => this.#sinceFor(counter)),
      capacity: async () => undefined,
      close: async () => undefined,
    };
  }

  #newStore(): IdempotencyStore {
    return createMemoryStore({ ...this.#times, entries: Infinity, now: () => new Date(this.#time) });
  }

  #countOf(counter: Counter): number {
    return this.#counts.get(counter) ?? 0;
  }

  #write<Answer>(at: number, command: (store: IdempotencyStore) => Promise<Answer>): Promise<Answer> {
    this.#time = at;
    this.#written.push({ at, command });
    return command(this.#store);
  }

  /** Since when every key was kept; from now on, if this connection was told of claims that are gone. */
  #sinceFor(counter: Counter): Date {
    if (this.#since === undefined || this.#countOf(counter) < counter.confirmed) {
      this.#since = this.machine.wallClock;
      this.#counts.set(counter, counter.confirmed);
    }
    return new Date(this.#since);
  }
}
