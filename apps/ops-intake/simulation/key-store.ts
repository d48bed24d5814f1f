import { createMemoryStore, type MemoryStoreOptions } from '../src/adapters/memory/memory-store.ts';
import { CallFailed } from '../src/features/shared-keys/call-failed.ts';
import type { ServerEvents, StoreServer } from '../src/features/shared-keys/store-server.ts';
import type { IdempotencyStore } from '../src/application/idempotency-store.ts';
import type { Machine } from './machine.ts';
import type { Network } from './network.ts';

/** How many claims a connection was told of, see `features/shared-keys/redis/scripts.ts`. */
interface Counter {
  confirmed: number;
}

/** Carries out a command at once, on a store that is its own. */
type Command = (store: IdempotencyStore) => Promise<unknown>;

interface Written {
  readonly at: number;
  readonly command: Command;
  /** the key that it claims */
  readonly claimed: string | undefined;
  isCopied: boolean;
}

export interface KeyStoreOptions extends Pick<MemoryStoreOptions, 'ttlMs' | 'leaseMs'> {
  /** IDEMPOTENCY_STORE_DURABILITY=replicated instead of none: no write is answered before the replica has it */
  readonly isReplicated: boolean;
}

/**
 * The server of the key store. The store in memory is the model of those on servers: one suite holds all of them to the same
 * behaviour.
 */
export class KeyStore {
  readonly machine: Machine;
  readonly #options: KeyStoreOptions;
  /** the time of the command that is carried out */
  #time: number;
  #store: IdempotencyStore;
  /** undefined until a connection finds that it is missing */
  #since: number | undefined;
  #counts = new Map<Counter, number>();
  /** every command that writes */
  #written: Written[] = [];
  /** keys whose claims a failover lost, and when an instance noticed that; undefined until then */
  readonly #forgotten = new Map<string, number | undefined>();

  constructor(machine: Machine, options: KeyStoreOptions) {
    this.machine = machine;
    this.#options = options;
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

  /** A replica takes over that lacks the writes of the last milliseconds, or those that were not answered yet. */
  failOver(milliseconds: number): void {
    const before = this.machine.wallClock - milliseconds;
    const written = this.#written;
    const isKept = ({ at, isCopied }: Written): boolean =>
      this.#options.isReplicated ? isCopied : at <= before;
    const since = this.#since;
    this.clear();
    this.#since = since;
    for (const one of written) {
      if (isKept(one)) void this.#carryOut(one);
      else if (one.claimed !== undefined && !this.#options.isReplicated)
        this.#forgotten.set(one.claimed, undefined);
    }
  }

  /**
   * Whether a claim on a key was lost, and no instance had noticed that until then. That is not covered without `replicated`.
   * @param time in milliseconds of simulated time
   */
  hadForgotten(id: string, time: number): boolean {
    return this.#forgotten.has(id) && time <= (this.#forgotten.get(id) ?? Infinity);
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
          const answer = await this.#write(async (store) => {
            const claimed = await store.claim(claim);
            if (claimed.state === 'claimed') this.#counts.set(counter, this.#countOf(counter) + 1);
            return claimed;
          }, claim.id);
          return { answer, since, count: this.#countOf(counter) };
        }).then(({ answer, since, count }) => {
          if (answer.state !== 'claimed') return { answer };
          counter.confirmed = Math.max(counter.confirmed, count);
          return { answer, since };
        }),
      settle: (claim, outcome) => call(() => this.#write((store) => store.settle(claim, outcome))),
      find: (id, principal) =>
        call(async () => {
          this.#time = this.machine.wallClock;
          const answer = await this.#store.find(id, principal);
          const isBehind = this.#countOf(counter) < counter.confirmed;
          return answer ? { answer } : { answer, since: new Date((!isBehind && this.#since) || this.#time) };
        }),
      sequences: {
        take: (claim) => call(() => this.#write((store) => store.sequences.take(claim))),
        settle: (claim, outcome) =>
          call(() => this.#write((store) => store.sequences.settle(claim, outcome))),
      },
      probe: () =>
        call(async () => ({ since: this.#sinceFor(counter), now: new Date(this.machine.wallClock) })),
      forgot: () => (counter.confirmed += 1),
      capacity: async () => undefined,
      close: async () => undefined,
    };
  }

  #newStore(): IdempotencyStore {
    return createMemoryStore({ ...this.#options, entries: Infinity, now: () => new Date(this.#time) });
  }

  #countOf(counter: Counter): number {
    return this.#counts.get(counter) ?? 0;
  }

  /** @returns what it is answered with, once it counts; never, if it was lost before */
  async #write<Answer>(
    command: (store: IdempotencyStore) => Promise<Answer>,
    claimed?: string,
  ): Promise<Answer> {
    const written: Written = { at: this.machine.wallClock, command, claimed, isCopied: false };
    const answer = (await this.#carryOut(written)) as Answer;
    if (!this.#options.isReplicated) return answer;
    await new Promise<void>((resolve) => this.machine.after(this.machine.draw.between(0.1, 3), resolve));
    if (!this.#written.includes(written)) return new Promise(() => undefined);
    written.isCopied = true;
    return answer;
  }

  #carryOut(written: Written): Promise<unknown> {
    this.#time = written.at;
    this.#written.push(written);
    return written.command(this.#store);
  }

  /** Since when every key was kept; from now on, if this connection was told of claims that are gone. */
  #sinceFor(counter: Counter): Date {
    if (this.#since === undefined || this.#countOf(counter) < counter.confirmed) {
      this.#since = this.machine.wallClock;
      for (const [id, noticedAt] of this.#forgotten)
        if (noticedAt === undefined) this.#forgotten.set(id, this.machine.clock.now);
      this.#counts.set(counter, counter.confirmed);
    }
    return new Date(this.#since);
  }
}
