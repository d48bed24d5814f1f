import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@workspace/logging';
import { createLane, type Lane, type LaneLimits, type Routed, type SendResult } from '../../domain/lane.ts';
import { AppendError } from '../../domain/operation-log.ts';
import { type KafkaSettings, longestSendMs, reasonOf } from './kafka-settings.ts';
import { type LiveProducer, openLiveProducer, type SendReport } from './live-producer.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** How long a rejected send speaks against Kafka when no later one speaks for it: an unready service gets no requests. */
const REJECTION_COUNTS_MS = 5_000;

/** What happens inside the log, for counters. */
export interface KafkaLogObserver {
  sent(report: SendReport): void;
  producerReplaced(): void;
  settled(outcome: 'acked' | 'not-published' | 'unknown'): void;
}

export interface KafkaLaneOptions {
  settings: KafkaSettings;
  limits: LaneLimits;
  leaderOf: (partition: number) => number;
  logger: Logger;
  observer?: Partial<KafkaLogObserver>;
  /** records after which a producer is replaced, before its sequence numbers run out */
  recordsPerProducer?: number;
}

/** A lane with the producer it sends by, replaced whenever it may not be used any more. */
export interface KafkaLane extends Lane {
  /** why records are not taken now: no producer, the last send was rejected, or one does not end */
  readonly fault: string | undefined;
  /** resolves when a producer was tried once, connected or not */
  readonly tried: Promise<void>;
  /** Sends what waits, then closes the producer. */
  close(): Promise<void>;
}

export const openKafkaLane = (options: KafkaLaneOptions): KafkaLane => {
  const { settings, logger, observer } = options;
  const closing = new AbortController();
  let live: LiveProducer | undefined;
  let fault: string | undefined = 'connecting';
  let retire: () => void = () => undefined;
  let rejection: { reason: string; at: number } | undefined;
  let sendingSince: number | undefined;
  let firstTry: () => void = () => undefined;
  const tried = new Promise<void>((resolve) => (firstTry = resolve));

  const send = async (batch: readonly Routed[]): Promise<readonly SendResult[]> => {
    if (!live) throw new Error('a lane without a producer is not open');
    sendingSince = performance.now();
    const results = await live.send(batch);
    sendingSince = undefined;
    if (live.spent) {
      lane.hold();
      retire();
    }
    rejection = undefined;
    for (const result of results) {
      observer?.settled?.(result instanceof AppendError ? result.outcome : 'acked');
      if (!(result instanceof AppendError) || result.fault === 'record-too-large') continue;
      rejection = { reason: reasonOf(result.cause), at: performance.now() };
    }
    return results;
  };
  const lane = createLane({ send, leaderOf: options.leaderOf, limits: options.limits });

  const report = (sent: SendReport): void => {
    observer?.sent?.(sent);
    if (sent.error === undefined) return;
    const { records, frames, error } = sent;
    logger.warn({ records, frames, reason: reasonOf(error) }, 'a send was rejected: replacing the producer');
    logger.debug({ err: error }, 'the rejected send');
  };

  /** A new producer, as nothing in kafkajs reconnects after a failed connect. While there is none, nobody waits. */
  const connect = async (): Promise<LiveProducer | undefined> => {
    try {
      const producer = await openLiveProducer(
        settings,
        logger,
        report,
        closing.signal,
        options.recordsPerProducer,
      );
      fault = undefined;
      logger.info('producer connected');
      return producer;
    } catch (error) {
      const reason = reasonOf(error);
      if (fault !== reason) logger.warn({ reason }, 'no producer');
      fault = reason;
      lane.shut(error);
      return undefined;
    }
  };

  const sendFault = (): string | undefined => {
    const now = performance.now();
    if (sendingSince !== undefined && now - sendingSince > 2 * longestSendMs(settings)) {
      return 'a send does not end';
    }
    return rejection && now - rejection.at < REJECTION_COUNTS_MS ? rejection.reason : undefined;
  };

  const keepProducer = async (): Promise<void> => {
    let pause = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      live = await connect();
      if (!live) {
        firstTry();
        await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        continue;
      }
      pause = FIRST_PAUSE_MS;
      const retired = new Promise<void>((resolve) => (retire = resolve));
      lane.open();
      firstTry();
      if (!closing.signal.aborted) await retired;
      live.discard();
      live = undefined;
      fault = 'replacing the producer';
      if (!closing.signal.aborted) observer?.producerReplaced?.();
    }
    lane.shut(new Error('closed'));
  };
  const keeping = keepProducer();

  return {
    ...lane,
    tried,
    get fault() {
      return sendFault() ?? fault;
    },
    close: async () => {
      await lane.drain();
      closing.abort();
      retire();
      await keeping;
    },
  };
};
