import type { TakeBatch } from '../partition/partition-leader.ts';
import type { BrokerConnection } from '../wire/broker-connection.ts';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import { detach } from '../wire/detach.ts';
import { NOT_LEADER_OR_FOLLOWER } from '../wire/kafkajs-protocol.ts';
import {
  decodeProduceResponse,
  encodeProduceRequest,
  type PartitionBatch,
  type PartitionResponse,
} from '../wire/produce-request.ts';

/** Many partitions of one leader share a request up to this size; a single batch may exceed it. */
const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
/** The same for a request with large records: small ones wait until it is answered. */
const MAX_LARGE_REQUEST_BYTES = 1024 * 1024;
/** How long a quota should keep from sending at once: so long it also does after an operator has lifted it. */
const THROTTLE_MS = 1_000;
/** The broker gives up on its replicas before we do, so that a late answer is an answer and not a timeout of ours. */
const BROKER_SHARE_OF_TIMEOUT = 0.9;

export interface ProduceChannelOptions {
  topic: string;
  clientId: string;
  runtime?: Runtime | undefined;
  /** called when a quota of the broker keeps from sending for so many milliseconds */
  onThrottle?: ((milliseconds: number) => void) | undefined;
}

/** The way of all partitions of one leader. */
export interface ProduceChannel {
  /**
   * Sends one batch of a partition, together with those of other partitions that wait at the same time.
   *
   * @param timeoutMs after which no answer is expected any more
   * @param hasLarge whether large records wait
   * @returns the broker's answer; undefined when there was nothing to send
   * @throws what ended the connection. When `take` was called before, the batch may be in the log.
   */
  produce(
    partition: number,
    take: TakeBatch,
    timeoutMs: number,
    hasLarge?: () => boolean,
  ): Promise<PartitionResponse | undefined>;
}

interface Waiting {
  readonly partition: number;
  readonly take: TakeBatch;
  readonly timeoutMs: number;
  readonly hasLarge: (() => boolean) | undefined;
  readonly resolve: (response: PartitionResponse | undefined) => void;
  readonly reject: (error: Error) => void;
}

interface Taken {
  readonly request: Waiting;
  readonly batch: PartitionBatch;
}

/**
 * One Produce request at a time: a broker works on the next request of a connection only when the last one is answered,
 * so what is written earlier waits longer, in smaller batches. While large records wait, every other request is one of small
 * records, and partitions take turns with the others.
 */
export const createProduceChannel = (
  connection: BrokerConnection,
  { topic, clientId, runtime = systemRuntime, onThrottle }: ProduceChannelOptions,
): ProduceChannel => {
  const version = connection.versionOf('Produce');
  let waiting: Waiting[] = [];
  let isScheduled = false;
  /** whether the last request had small records only and left others behind */
  let isAfterSmall = false;
  /** requests that were not of small records only, and the last of them that each partition was in */
  let inOrder = 0;
  const lastInOrder = new Map<number, number>();
  /** of a request; less while a quota is exceeded */
  let mostBytes = MAX_REQUEST_BYTES;

  /** As much of what waits as one request holds: small records only, or all in order. */
  const takeBatches = (most: number, isOfSmall: boolean): Taken[] => {
    const taken: Taken[] = [];
    const rest: Waiting[] = [];
    let bytes = 0;
    for (const request of waiting) {
      const batch = bytes < most ? request.take(most - bytes, isOfSmall) : undefined;
      if (!batch) {
        if (bytes >= most || isOfSmall) rest.push(request);
        else request.resolve(undefined);
        continue;
      }
      bytes += batch.length;
      taken.push({ request, batch: { partition: request.partition, batch } });
    }
    waiting = rest;
    return taken;
  };

  const takeNext = (): Taken[] => {
    const small = isAfterSmall ? [] : takeBatches(mostBytes, true);
    isAfterSmall =
      small.length > 0 && (waiting.length > 0 || small.some(({ request }) => request.hasLarge?.()));
    if (small.length > 0) return small;
    const turnOf = ({ partition }: Waiting): number => lastInOrder.get(partition) ?? 0;
    waiting.sort((one, other) => turnOf(one) - turnOf(other));
    const taken = takeBatches(Math.min(mostBytes, MAX_LARGE_REQUEST_BYTES), false);
    inOrder += 1;
    for (const { request } of taken) lastInOrder.set(request.partition, inOrder);
    return taken;
  };

  const exchange = async (): Promise<void> => {
    if (connection.ended) {
      for (const { reject } of waiting.splice(0)) reject(connection.ended);
      return;
    }
    const taken = takeNext();
    if (taken.length === 0) return;
    const batches = taken.map(({ batch }) => batch);
    const maxWaitMs = Math.max(...taken.map(({ request }) => request.timeoutMs));
    const timeoutMs = Math.floor(maxWaitMs * BROKER_SHARE_OF_TIMEOUT);
    let frame!: Buffer;
    try {
      const payload = await connection.send(
        (correlationId) =>
          (frame = encodeProduceRequest({ version, correlationId, clientId, topic, timeoutMs, batches })),
        maxWaitMs,
      );
      detach(frame);
      const { partitions, throttleMs } = decodeProduceResponse(payload, version);
      for (const { request } of taken) {
        const response = partitions.get(request.partition);
        if (response?.errorCode === NOT_LEADER_OR_FOLLOWER) connection.retire();
        if (response) request.resolve(response);
        else request.reject(new Error(`partition ${request.partition} was not answered`));
      }
      await respectQuota(batches, throttleMs);
    } catch (error) {
      connection.close(error as Error);
      for (const { request } of taken) request.reject(error as Error);
    }
  };

  /** The broker reads nothing more from this connection for so long (KIP-219). */
  const respectQuota = async (sent: readonly PartitionBatch[], throttleMs: number): Promise<void> => {
    if (throttleMs <= 0) {
      mostBytes = Math.min(mostBytes * 2, MAX_REQUEST_BYTES);
      return;
    }
    const bytes = sent.reduce((sum, { batch }) => sum + batch.length, 0);
    mostBytes = Math.min(mostBytes, Math.ceil((bytes * THROTTLE_MS) / throttleMs));
    onThrottle?.(throttleMs);
    await runtime.sleep(throttleMs, connection.ending);
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      await exchange();
      // Partitions whose small records were sent ask again, so that their large ones get their turn.
      if (isAfterSmall) await new Promise<void>((resolve) => runtime.setImmediate(resolve));
    }
    isScheduled = false;
  };

  return {
    produce: (partition, take, timeoutMs, hasLarge) =>
      new Promise((resolve, reject) => {
        waiting.push({ partition, take, timeoutMs, hasLarge, resolve, reject });
        if (isScheduled) return;
        isScheduled = true;
        // Whatever else arrives in this iteration of the event loop goes along.
        runtime.setImmediate(() => void run());
      }),
  };
};
