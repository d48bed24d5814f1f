import { Type } from '@sinclair/typebox';

/** The headers of a record: CloudEvents 1.0 in Kafka's binary mode, and W3C Trace Context. All are UTF-8 text. */
export const RecordHeaders = Type.Object(
  {
    ce_specversion: Type.Literal('1.0'),
    ce_id: Type.String({
      format: 'uuid',
      description: 'the submission id; a second record with the same id is a copy to be dropped',
    }),
    ce_source: Type.Literal('/operations-service'),
    ce_type: Type.Literal('operations.submitted.v1'),
    ce_time: Type.String({ format: 'date-time', description: 'when the request was accepted for sending' }),
    'content-type': Type.Literal('application/json'),
    traceparent: Type.String({ description: 'W3C Trace Context' }),
    tracestate: Type.Optional(Type.String({ description: 'W3C Trace Context' })),
    ce_partitionkey: Type.Optional(
      Type.String({ description: 'the Partition-Key of the client; then it is the key of the record, too' }),
    ),
    ce_authtype: Type.Optional(Type.String({ description: 'how the client was authenticated' })),
    ce_authid: Type.Optional(Type.String({ description: 'the principal who submitted' })),
  },
  { description: 'CloudEvents attributes and trace context' },
);
