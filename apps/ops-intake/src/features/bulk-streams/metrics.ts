import { Counter, Gauge } from 'prom-client';
import type { Metrics } from '@workspace/service-process';
import type { BulkObserver } from './bulk-route.ts';

/** Starts the metrics of streams. */
export const bulkMetrics = ({ registry }: Metrics): BulkObserver => {
  const registers = [registry];
  // Counted here and handed on when they are read: there may be thousands in an iteration of the event loop.
  const lines = new Map<number, number>();
  new Counter({
    name: 'operations_bulk_lines_total',
    help: 'Answered lines of streams, by status of the line',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset();
      for (const [status, count] of lines) this.inc({ status }, count);
    },
  });
  const streams = new Gauge({
    name: 'operations_bulk_streams',
    help: 'Streams of submissions that are open, or have submissions on their way to Kafka',
    registers,
  });
  return {
    lineAnswered: (status) => void lines.set(status, (lines.get(status) ?? 0) + 1),
    streamsOpen: (count) => streams.set(count),
  };
};
