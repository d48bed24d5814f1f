import type { Span } from '@opentelemetry/api';
import type { Tracing } from '@workspace/service-kit';
import type { LogRecord, RecordOutcome } from '@workspace/schemas';
import type { OperationLog } from '../../application/operation-log.ts';

/**
 * An operation log that records a producer span for each record, by OpenTelemetry's semantic conventions for Kafka, from
 * the moment the record is queued until its outcome is known. The record carries that span's trace context instead of
 * the caller's, so that a consumer's span becomes its child.
 */
export const recordProducerSpans = (log: OperationLog, tracing: Tracing, topic: string): OperationLog => {
  const { api, tracer, active } = tracing;

  const startSpan = ({ key, value }: LogRecord): Span =>
    tracer.startSpan(
      `send ${topic}`,
      {
        kind: api.SpanKind.PRODUCER,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.operation.name': 'send',
          'messaging.operation.type': 'send',
          'messaging.destination.name': topic,
          'messaging.kafka.message.key': key,
          'messaging.message.body.size': value.length,
        },
      },
      active.getStore(),
    );

  const withContextOf = (span: Span, record: LogRecord): LogRecord => {
    const { traceparent: _replaced, tracestate: _too, ...headers } = record.headers;
    const context: Record<string, string> = {};
    api.propagation.inject(api.trace.setSpan(api.ROOT_CONTEXT, span), context);
    return { ...record, headers: { ...headers, ...context } };
  };

  const end = (span: Span, outcome: RecordOutcome): void => {
    if (outcome.outcome === 'accepted') {
      span.setAttributes({
        'messaging.destination.partition.id': String(outcome.partition),
        'messaging.kafka.offset': outcome.offset,
      });
    } else {
      const { reason } = outcome;
      span.setAttributes({ 'error.type': reason, 'ops_intake.outcome': outcome.outcome });
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: `${outcome.outcome}: ${reason}` });
    }
    span.end();
  };

  return {
    append: (record, listener, maxWaitMs) => {
      const span = startSpan(record);
      const ended = {
        settled: (outcome: RecordOutcome) => {
          end(span, outcome);
          listener.settled(outcome);
        },
      };
      return log.append(withContextOf(span, record), ended, maxWaitMs);
    },
    isFull: () => log.isFull(),
    status: () => log.status(),
    close: () => log.close(),
  };
};
