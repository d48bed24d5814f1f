import type { Span } from '@opentelemetry/api';
import type { Tracing } from '@workspace/service-kit';
import type { AppendError, LogRecord, OperationLog, Receipt } from '../../application/operation-log.ts';

/**
 * An operation log that records a producer span for each record, by OpenTelemetry's semantic conventions for Kafka, from
 * the moment the record is queued until its outcome is known. The record carries that span's trace context instead of
 * the caller's, so that a consumer's span becomes its child.
 */
export const recordProducerSpans = (log: OperationLog, tracing: Tracing, topic: string): OperationLog => {
  const { api, tracer } = tracing;

  const startSpan = ({ key, value }: LogRecord): Span =>
    tracer.startSpan(`send ${topic}`, {
      kind: api.SpanKind.PRODUCER,
      attributes: {
        'messaging.system': 'kafka',
        'messaging.operation.name': 'send',
        'messaging.operation.type': 'send',
        'messaging.destination.name': topic,
        'messaging.kafka.message.key': key,
        'messaging.message.body.size': value.length,
      },
    });

  const withContextOf = (span: Span, record: LogRecord): LogRecord => {
    const { traceparent: _replaced, tracestate: _too, ...headers } = record.headers;
    const context: Record<string, string> = {};
    api.propagation.inject(api.trace.setSpan(api.context.active(), span), context);
    return { ...record, headers: { ...headers, ...context } };
  };

  const endWithReceipt = (span: Span, { partition, offset }: Receipt): void => {
    span.setAttributes({
      'messaging.destination.partition.id': String(partition),
      'messaging.kafka.offset': offset,
    });
    span.end();
  };

  const endWithError = (span: Span, { failure, outcome, message }: AppendError): void => {
    span.setAttributes({ 'error.type': failure, 'ops_intake.outcome': outcome });
    span.setStatus({ code: api.SpanStatusCode.ERROR, message });
    span.end();
  };

  return {
    append: (record, listener) => {
      const span = startSpan(record);
      return log.append(withContextOf(span, record), {
        acknowledged: (receipt) => {
          endWithReceipt(span, receipt);
          listener.acknowledged(receipt);
        },
        failed: (error) => {
          endWithError(span, error);
          listener.failed(error);
        },
      });
    },
    isFull: () => log.isFull(),
    status: () => log.status(),
    close: () => log.close(),
  };
};
