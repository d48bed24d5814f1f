import { Counter } from 'prom-client';
import type { Metrics } from '@workspace/service-process';
import type { RejectedSubmissions, RejectionOutcome } from './rejected-submissions.ts';

/** Starts the counts of rejected submissions. @returns counts an outcome */
export const watchRejected = (
  { registry, gauge }: Metrics,
  queued: () => RejectedSubmissions['queued'],
): ((outcome: RejectionOutcome) => void) => {
  const rejected = new Counter({
    name: 'operations_rejected_records_total',
    help: 'Records of rejected submissions: written, dropped because too much was waiting, or failed: not written, or perhaps not',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['written', 'dropped', 'failed']) rejected.inc({ outcome }, 0);
  gauge(
    'operations_rejected_queue_records',
    'Records of rejected submissions that wait for Kafka or are being sent',
    () => queued().records,
  );
  gauge(
    'operations_rejected_queue_bytes',
    'Bytes of the records in operations_rejected_queue_records',
    () => queued().bytes,
  );
  return (outcome) => rejected.inc({ outcome });
};
