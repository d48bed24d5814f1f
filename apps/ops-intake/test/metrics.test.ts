import { createMetrics } from '@workspace/service-process';
import { createMemoryStore } from '../src/adapters/memory/memory-store.ts';
import { createIntakeMetrics } from '../src/adapters/prometheus/intake-metrics.ts';
import { createInMemoryLog } from './in-memory-log.ts';

describe('the metrics', () => {
  it('count what became of records, sends and submissions', async () => {
    const metrics = createMetrics({ name: 'ops-intake', version: '0' });
    const intake = createIntakeMetrics(metrics);
    const log = createInMemoryLog();
    log.status = () => ({
      connected: true,
      latencyMs: 4,
      underReplication: { partitions: 2, reason: '', isStopped: false },
      settingsKnown: true,
      weaknesses: [{ setting: 'cleanup.policy', reason: '' }],
      queued: { records: 3, bytes: 1_500 },
    });
    intake.watch(log, {
      ...createMemoryStore({ ttlMs: 1_000, leaseMs: 100, entries: 10, now: () => new Date() }),
      status: () => ({ unsettled: 2, evictions: 5, use: { unit: 'answers', used: 7, capacity: 10 } }),
    });
    intake.storeFailed('READONLY');
    intake.accepted(9);
    intake.settled('accepted', 1);
    intake.settled('unknown', 1);
    intake.producerIdRenewed();
    intake.acknowledgedLost(3, 633);
    intake.throttled(1_500);
    intake.sent({ records: 2, milliseconds: 3 });
    const rejected = Object.assign(new Error('retries exceeded'), {
      cause: Object.assign(new Error('rejected'), { type: 'NOT_ENOUGH_REPLICAS' }),
    });
    intake.sent({ records: 1, milliseconds: 3, error: rejected });

    const lines = (await metrics.registry.metrics()).split('\n');
    for (const line of [
      'operations_records_total{outcome="acknowledged"} 1',
      'operations_records_total{outcome="rejected"} 0',
      'operations_records_total{outcome="unknown"} 1',
      'operations_submissions_accepted_total 1',
      'operations_accepted_total 9',
      'operations_kafka_send_seconds_count 1',
      'operations_kafka_batch_records_sum 2',
      'operations_kafka_send_errors_total{type="NOT_ENOUGH_REPLICAS"} 1',
      'operations_kafka_producer_ids_renewed_total 1',
      'operations_kafka_acknowledged_lost_total 3',
      'operations_kafka_throttled_seconds_total 1.5',
      'operations_queue_records 3',
      'operations_queue_bytes 1500',
      'operations_kafka_up 1',
      'operations_kafka_under_replicated_partitions 2',
      'operations_kafka_weak_settings 1',
      'operations_kafka_probe_seconds 0.004',
      'operations_idempotency_store_up 1',
      'operations_idempotency_store_unsettled 2',
      'operations_idempotency_store_evictions 5',
      'operations_idempotency_store_used_answers 7',
      'operations_idempotency_store_capacity_answers 10',
      'operations_idempotency_store_errors_total{type="READONLY"} 1',
    ]) {
      expect(lines).toContain(line);
    }
  });
});
