import { type AbortedTransaction, type BatchHead, batchHeads } from '../wire/fetch-response.ts';

/** The batches; what belongs to an aborted transaction counts no more than the broker's own marks. */
export function* countedBatches(
  batches: Buffer,
  aborted: readonly AbortedTransaction[],
): Generator<BatchHead> {
  const waiting = [...aborted];
  for (const batch of batchHeads(batches)) {
    const { producerId, nextOffset, isTransactional, isControl } = batch;
    const at = waiting.findIndex((one) => one.producerId === producerId && one.firstOffset < nextOffset);
    // A mark ends the transaction of its producer.
    if (isControl && at >= 0) waiting.splice(at, 1);
    yield isTransactional && at >= 0 ? { ...batch, isControl: true } : batch;
  }
}
