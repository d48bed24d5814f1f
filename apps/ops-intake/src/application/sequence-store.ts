/** A submission that asks for its number in a series. */
export interface SequenceClaim {
  /** see `seriesIdOf` */
  readonly series: string;
  readonly number: number;
  /** submission id: one submission at a time may have the expected number */
  readonly holder: string;
  /** token of the request, unique: outcomes of different attempts never replace each other */
  readonly owner: string;
  /** The log does not have the submission with this id: its number may be taken, once its lease is over. */
  readonly absent?: string | undefined;
}

/** The submission that has the expected number, while it is not settled. */
export interface SequenceHolder {
  readonly holder: string;
  /** when its first attempt began */
  readonly claimedAt: Date;
  /** whether what it sent may still arrive */
  readonly isLeased: boolean;
}

/** What a store says to a claim on a number. */
export type SequenceReply =
  /** the number is the expected one, and the submission has it now */
  | { state: 'taken' }
  /** a gap or a repeat */
  | { state: 'out-of-sequence'; expected: number }
  /** another submission has the expected number, so it is not known yet which one is next */
  | ({ state: 'pending'; expected: number } & SequenceHolder);

/**
 * Which number comes next in each series. The first number of a series that the store does not know may be any. A number is
 * used up once its submission is accepted, and not before.
 */
export interface SequenceStore {
  /** Takes a number before anything is published. @throws StoreUnavailable */
  take(claim: SequenceClaim): Promise<SequenceReply>;
  /**
   * `accepted`: the next number is expected, whoever reports it. `not-published`: the number is free again, if its owner reports
   * it. Resolves when the store has confirmed it, or when that will be retried in the background until it does. What is not
   * settled stays pending.
   */
  settle(claim: SequenceClaim, outcome: SequenceOutcome): Promise<void>;
}

export type SequenceOutcome = 'accepted' | 'not-published';
