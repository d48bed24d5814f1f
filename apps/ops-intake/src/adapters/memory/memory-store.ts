import type { IdempotencyStore } from '../../domain/idempotency.ts';
import type { Accepted } from '../../domain/intake.ts';

interface Entry {
  fingerprint: string;
  owner: string;
  state: 'pending' | 'doubtful' | 'answered';
  answer?: Accepted;
  /** epoch milliseconds; a pending entry has no end: this process ends first */
  endsAt: number;
}

export interface MemoryStoreOptions {
  /** milliseconds an answer is remembered */
  ttlMs: number;
  /** most answers remembered; the least recently used go first */
  entries: number;
  now: () => Date;
}

/** Keys of this process only, forgotten with it. Enough for one instance; several need a shared store. */
export const createMemoryStore = ({ ttlMs, entries, now }: MemoryStoreOptions): IdempotencyStore => {
  const byId = new Map<string, Entry>();

  const touch = (id: string, entry: Entry): void => {
    byId.delete(id);
    byId.set(id, entry);
  };

  /** What is being worked on is never dropped: there are no more of those than the queue is long. */
  const makeRoom = (): void => {
    for (const [id, entry] of byId) {
      if (byId.size <= entries) return;
      if (entry.state !== 'pending') byId.delete(id);
    }
  };

  const settle = (id: string, owner: string, change: Partial<Entry> & { state: Entry['state'] }): void => {
    const entry = byId.get(id);
    if (entry?.owner !== owner) return;
    touch(id, { ...entry, ...change, endsAt: now().getTime() + ttlMs });
    makeRoom();
  };

  return {
    claim: async (id, fingerprint, owner) => {
      const entry = byId.get(id);
      if (entry && entry.endsAt > now().getTime()) {
        if (entry.fingerprint !== fingerprint) return { state: 'reused' };
        if (entry.state === 'pending') return { state: 'in-flight' };
        if (entry.answer) {
          touch(id, entry);
          return { state: 'answered', answer: entry.answer };
        }
      }
      touch(id, { fingerprint, owner, state: 'pending', endsAt: Infinity });
      return { state: 'reserved' };
    },
    complete: async (id, _fingerprint, owner, answer) => settle(id, owner, { state: 'answered', answer }),
    doubt: async (id, _fingerprint, owner) => settle(id, owner, { state: 'doubtful' }),
    release: async (id, owner) => {
      if (byId.get(id)?.owner === owner) byId.delete(id);
    },
    fault: () => undefined,
    close: async () => byId.clear(),
  };
};
