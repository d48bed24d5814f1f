import { Counter, Histogram } from 'prom-client';
import type { Metrics } from '@workspace/service-process';
import type { ProduceObserver } from '@workspace/kafka-producer';
import type { RecordOutcome } from '@workspace/schemas';
import type { IdempotencyStore, StoreObserver } from '../../application/idempotency-store.ts';
import type { OperationLog } from '../../application/operation-log.ts';
import { FAILURE_CAUSES, type FailureCause } from '../../domain/acceptance.ts';

export interface IntakeMetrics extends ProduceObserver, StoreObserver {
  /** a submission was answered with 202 and had so many operations */
  accepted(operations: number): void;
  /** a submission failed by no fault of its client */
  failed(cause: FailureCause): void;
  /** Starts the gauges that read the log's and the store's status when they are scraped. */
  watch(log: OperationLog, store: IdempotencyStore): void;
}

/** Outcomes as dashboards and alerts know them. */
const LABELS: Readonly<Record<RecordOutcome['outcome'], string>> = {
  accepted: 'acknowledged',
  'not-published': 'rejected',
  unknown: 'unknown',
};

/** The service's own counters, next to what the kit counts of HTTP, memory and the loop's lag. */
export const createIntakeMetrics = ({ registry, gauge }: Metrics): IntakeMetrics => {
  const registers = [registry];
  const records = new Counter({
    name: 'operations_records_total',
    help: 'Records handed to Kafka, by delivery outcome: acknowledged, rejected or unknown',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of Object.values(LABELS)) records.inc({ outcome }, 0);
  // Counted here and handed on when they are read: prom-client would hash its labels twice for each request.
  let submissions = 0;
  let operations = 0;
  const countOf = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  countOf('operations_submissions_accepted_total', 'Submissions answered with 202', () => submissions);
  countOf('operations_accepted_total', 'Operations in the submissions answered with 202', () => operations);
  const failures = new Counter({
    name: 'operations_submissions_failed_total',
    help: 'Submissions that failed by no fault of their clients, by cause: Kafka, the clock, the search of the topic, the key store',
    labelNames: ['cause'],
    registers,
  });
  for (const cause of FAILURE_CAUSES) failures.inc({ cause }, 0);
  const latency = new Histogram({
    name: 'operations_kafka_send_seconds',
    help: 'Time from the first write of a batch to its answer, retries included',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const batch = new Histogram({
    name: 'operations_kafka_batch_records',
    help: 'Records in one batch',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const errors = new Counter({
    name: 'operations_kafka_send_errors_total',
    help: 'Batches written and not acknowledged, by the name of the error; most are retried',
    labelNames: ['type'],
    registers,
  });
  const throttled = new Counter({
    name: 'operations_kafka_throttled_seconds_total',
    help: 'Time during which quotas of Kafka delayed sending or reading',
    registers,
  });
  const renewed = new Counter({
    name: 'operations_kafka_producer_ids_renewed_total',
    help: 'Producer ids given up, because a broker did not follow their sequence numbers or a batch got no answer',
    registers,
  });
  const acknowledgedLost = new Counter({
    name: 'operations_kafka_acknowledged_lost_total',
    help: 'Acknowledged records that Kafka lost, as far as noticed, by an unclean election or a recreated topic; one may count twice',
    registers,
  });

  const storeErrors = new Counter({
    name: 'operations_idempotency_store_errors_total',
    help: 'Failed calls to the idempotency store: first word of its error, TIMEOUT or DISCONNECTED',
    labelNames: ['type'],
    registers,
  });

  const storeLosses = new Counter({
    name: 'operations_idempotency_store_losses_total',
    help: 'Times that the idempotency store was found to have lost keys',
    registers,
  });

  const watch = (log: OperationLog, store: IdempotencyStore): void => {
    gauge(
      'operations_queue_records',
      'Submissions that wait for Kafka or are being sent',
      () => log.status().queued.records,
    );
    gauge(
      'operations_queue_bytes',
      'Bytes of the submissions in operations_queue_records',
      () => log.status().queued.bytes,
    );
    gauge('operations_kafka_up', '1 while the topic can be written', () => Number(log.status().connected));
    gauge(
      'operations_kafka_under_replicated_partitions',
      'Partitions of the topic with fewer replicas in sync than replicas; NaN while unknown',
      () => {
        const { connected, underReplication } = log.status();
        return underReplication?.partitions ?? (connected ? 0 : NaN);
      },
    );
    gauge(
      'operations_kafka_weak_settings',
      'Settings of topic and brokers that weaken a promise; NaN while unknown',
      () => {
        const { weaknesses, settingsKnown } = log.status();
        return settingsKnown ? (weaknesses?.length ?? 0) : NaN;
      },
    );
    gauge(
      'operations_kafka_clock_difference_seconds',
      'How far the clock of this machine is ahead of the cluster; NaN while the cluster’s time is unknown',
      () => (log.status().clock?.aheadMs ?? NaN) / 1_000,
    );
    gauge(
      'operations_kafka_probe_seconds',
      'Duration of the last probe of the topic',
      () => (log.status().latencyMs ?? NaN) / 1_000,
    );
    gauge('operations_idempotency_store_up', '1 while Idempotency-Keys can be claimed', () =>
      Number(store.status().error === undefined),
    );
    gauge(
      'operations_idempotency_store_unsettled',
      'Answers that the idempotency store has not confirmed yet',
      () => store.status().unsettled,
    );
    gauge(
      'operations_idempotency_store_evictions',
      'Answers forgotten before their time since the start; for Redis, all keys its server evicted',
      () => store.status().evictions,
    );
    gauge(
      'operations_idempotency_store_since_timestamp_seconds',
      'Since when the idempotency store has kept every key, by its clock; NaN while unknown',
      () => (store.since()?.getTime() ?? NaN) / 1_000,
    );
    const { unit } = store.status().use ?? { unit: 'bytes' };
    gauge(
      `operations_idempotency_store_used_${unit}`,
      'Current size of the idempotency store',
      () => store.status().use?.used ?? NaN,
    );
    gauge(
      `operations_idempotency_store_capacity_${unit}`,
      'Maximum size of the idempotency store; NaN without a limit',
      () => store.status().use?.capacity ?? NaN,
    );
  };

  return {
    watch,
    accepted: (count) => {
      submissions += 1;
      operations += count;
    },
    failed: (cause) => failures.inc({ cause }),
    settled: (outcome, count) => records.inc({ outcome: LABELS[outcome] }, count),
    storeFailed: (type) => storeErrors.inc({ type }),
    storeLost: () => storeLosses.inc(),
    producerIdRenewed: () => renewed.inc(),
    acknowledgedLost: (count) => acknowledgedLost.inc(count),
    throttled: (milliseconds) => throttled.inc(milliseconds / 1_000),
    sent: ({ records: size, milliseconds, error }) => {
      if (error) return errors.inc({ type: errorType(error) });
      latency.observe(milliseconds / 1_000);
      batch.observe(size);
    },
  };
};

/** The broker's name for its problem, else the client's class; a handful of values, as a label must be. */
const errorType = (error: unknown): string => {
  const { cause, type, name } = error as Error & { type?: string };
  if (type) return type;
  return cause instanceof Error ? errorType(cause) : (name ?? 'unknown');
};
