import type { PartitionResponse } from '../wire/produce-request.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';

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
   * @param take gives the batch when it is about to be written; after a failure since then the batch may be in the log.
   *   It should have so many bytes at most, and be one of small records.
   * @param timeoutMs after which no answer is expected any more
   * @param hasLarge whether a batch of small records leaves others behind
   * @returns undefined when there was no batch
   * @throws why there is no answer
   */
  produce(
    take: (mostBytes: number, isOfSmall: boolean) => Buffer | undefined,
    timeoutMs: number,
    hasLarge?: () => boolean,
  ): Promise<PartitionResponse | undefined>;
  /** Asks who leads now. Never rejects. */
  refresh(): Promise<void>;
}
