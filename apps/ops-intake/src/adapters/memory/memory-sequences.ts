import type { SequenceHolder, SequenceReply, SequenceStore } from '../../application/sequence-store.ts';

interface Series {
  expected: number;
  /** who has that number; undefined when it is free */
  held: (Omit<SequenceHolder, 'isLeased'> & { owner: string; leasedUntil: number }) | undefined;
  /** by the monotonic clock, as is `leasedUntil` */
  endsAt: number;
}

export interface MemorySequencesOptions {
  /** milliseconds after its last change that an entry is remembered */
  ttlMs: number;
  /** milliseconds a submission can be on its way; longer than any send can take */
  leaseMs: number;
  /** most entries remembered; the least recently used go first */
  entries: number;
  now: () => Date;
  /** milliseconds, whatever the wall clock is set to; by that clock when left out */
  monotonic?: (() => number) | undefined;
}

/** Series of this process only, forgotten with it. */
export const createMemorySequences = (options: MemorySequencesOptions): SequenceStore => {
  const { ttlMs, leaseMs, entries, now, monotonic = () => now().getTime() } = options;
  const byId = new Map<string, Series>();

  const known = (id: string): Series | undefined => {
    const series = byId.get(id);
    return series && series.endsAt > monotonic() ? series : undefined;
  };

  const write = (id: string, series: Omit<Series, 'endsAt'>): void => {
    byId.delete(id);
    byId.set(id, { ...series, endsAt: monotonic() + ttlMs });
    if (byId.size <= entries) return;
    for (const [other, { held }] of byId) {
      if (held && held.leasedUntil > monotonic()) continue;
      byId.delete(other);
      return;
    }
  };

  return {
    take: async ({ series: id, number, holder, owner, absent }): Promise<SequenceReply> => {
      const { expected = number, held } = known(id) ?? {};
      const isLeased = held !== undefined && held.leasedUntil > monotonic();
      const isOwn = held?.holder === holder;
      const isFree = !held || isOwn || (held.holder === absent && !isLeased);
      if (!isFree) {
        const { holder: other, claimedAt } = held;
        return { state: 'pending', expected, holder: other, claimedAt, isLeased };
      }
      if (number !== expected) return { state: 'out-of-sequence', expected };
      const claimedAt = isOwn ? held.claimedAt : now();
      const leasedUntil = monotonic() + leaseMs;
      write(id, { expected, held: { holder, owner, claimedAt, leasedUntil } });
      return { state: 'taken' };
    },
    settle: async ({ series: id, number, owner }, outcome) => {
      const series = known(id);
      if (outcome === 'accepted') {
        if (!series || series.expected <= number) write(id, { expected: number + 1, held: undefined });
      } else if (series?.expected === number && series.held?.owner === owner) series.held = undefined;
    },
  };
};
