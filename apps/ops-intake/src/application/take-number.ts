import { seriesIdOf } from '../domain/sequence.ts';
import type { LogLookup } from './log-lookup.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { SequenceClaim, SequenceHolder, SequenceReply } from './sequence-store.ts';
import type { Submit } from './submit.ts';

/** Why a submission may not have its number. */
export interface NumberDenied {
  readonly outcome: 'out-of-sequence';
  readonly number: number;
  /** the lowest number that is not known to be accepted */
  readonly expected: number;
  /** `pending`: the submission that has the expected number is not settled */
  readonly reason: 'gap' | 'repeat' | 'pending';
}

/**
 * Takes a number in its series for a submission that is about to be published.
 * @returns undefined when the submission has its number
 * @throws StoreUnavailable
 */
export type TakeNumber = (
  claim: SequenceClaim,
  principal: string | undefined,
) => Promise<NumberDenied | undefined>;

const deniedBy = (
  { number }: SequenceClaim,
  reply: Exclude<SequenceReply, { state: 'taken' }>,
): NumberDenied => {
  const { expected } = reply;
  const mayFollow = number === expected || number === expected + 1;
  const reason = reply.state === 'pending' && mayFollow ? 'pending' : number > expected ? 'gap' : 'repeat';
  return { outcome: 'out-of-sequence', number, expected, reason };
};

/**
 * Where another submission has the expected number, its outcome decides: it is settled late, or never when its instance is gone. The
 * key store knows it, or else the log does. As long as neither does, nothing is published.
 */
export const createTakeNumber = (store: IdempotencyStore, lookUp: LogLookup): TakeNumber => {
  const { sequences } = store;

  /** What became of the submission that has the number; `absent`: it is not in the log, and nothing of it can arrive. */
  const outcomeOf = async (
    { holder, claimedAt, isLeased }: SequenceHolder,
    principal: string | undefined,
  ): Promise<'accepted' | 'absent' | undefined> => {
    const known = await store.find(holder, principal);
    if (known?.state === 'accepted') return 'accepted';
    // A key of unknown outcome may be in the log although its lease is not over.
    if (known?.state === 'in-flight' || (isLeased && !known)) return undefined;
    const { found, gap } = await lookUp(holder, claimedAt);
    if (found) return 'accepted';
    return gap || isLeased || known?.isLeased ? undefined : 'absent';
  };

  return async (claim, principal) => {
    let reply = await sequences.take(claim);
    if (reply.state === 'pending') {
      const { holder, expected } = reply;
      const outcome = await outcomeOf(reply, principal);
      if (outcome === 'accepted') {
        await sequences.settle({ ...claim, holder, owner: holder, number: expected }, 'accepted');
      }
      if (outcome)
        reply = await sequences.take({ ...claim, absent: outcome === 'absent' ? holder : undefined });
    }
    return reply.state === 'taken' ? undefined : deniedBy(claim, reply);
  };
};

/** What a submission asks for with its number; undefined when it has none. */
export const numberOf = (submit: Submit, holder: string, owner: string): SequenceClaim | undefined => {
  const { sequence: number, partitionKey, principal } = submit;
  if (number === undefined || partitionKey === undefined) return undefined;
  return { series: seriesIdOf(partitionKey, principal), number, holder, owner };
};
