import { option } from '../../extension-points.ts';
import { recordProducerSpans } from './record-spans.ts';
import { recordRedisSpans } from './redis-spans.ts';

/** Records spans of records and of calls to Redis, where OpenTelemetry is on. */
export const traces = option({
  name: 'traces',
  settings: {},
  open: ({ KAFKA_TOPIC: topic }, { tracing }) => {
    if (!tracing) return undefined;
    recordRedisSpans(tracing);
    return { log: (log) => recordProducerSpans(log, tracing, topic) };
  },
});
