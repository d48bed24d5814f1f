import type { PartitionResponse } from '../wire/produce-request.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';

/**
 * Gives a batch at the moment when the request is made, or nothing when nothing is left to send.
 * @param mostBytes that it should have; a single record may have more
 * @param isOfSmall whether large records stay behind
 */
export type TakeBatch = (mostBytes: number, isOfSmall: boolean) => Buffer | undefined;

/** The way to the leader of one partition. */
export interface PartitionLeader {
  /**
   * Sees to it that the leader is known and connected.
   * @throws why it cannot be reached now
   */
  connect(): Promise<void>;
  /**
   * The producer id to use.
   * @param rejected one that must not be used again
   * @throws Error with the reason when it cannot be had
   */
  identity(rejected: ProducerIdentity | undefined): Promise<ProducerIdentity>;
  /**
   * @param take is called when the batch is about to be written; after a failure since then the batch may be in the log
   * @param timeoutMs after which no answer is expected any more
   * @param hasLarge whether large records wait
   * @returns undefined when there was no batch
   * @throws why there is no answer
   */
  produce(
    take: TakeBatch,
    timeoutMs: number,
    hasLarge?: () => boolean,
  ): Promise<PartitionResponse | undefined>;
  /** Asks who leads now. Never rejects. */
  refresh(): Promise<void>;
}
