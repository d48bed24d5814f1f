import { type TSchema, Type } from '@sinclair/typebox';
import { REJECTED_TYPE } from './rejected-record.ts';
import { digestOf } from '../../domain/digest.ts';
import { exampleOperation, UNKNOWN_OPERATION } from '../../domain/operation.ts';
import { CE_SEQUENCE, RecordHeaders as CommonHeaders } from '../../http/contract/record-headers.ts';
import type { RecordHeaders } from '../../http/submit/record-headers.ts';
import type { TopicParts } from '../../http/contract/topic-parts.ts';

const BODY = `[${exampleOperation({ operation: '"hold"' })}]`;

const EXAMPLE_PROBLEM = {
  type: 'urn:problem-type:invalid-submission',
  title: 'Invalid submission',
  status: 422,
  requestId: 'c3a1-17',
  errors: [{ pointer: '#/0/operation', ...UNKNOWN_OPERATION }],
};

const { ce_specversion, ce_source, traceparent, tracestate, ce_partitionkey } = CommonHeaders.properties;

/** What records of accepted submissions have, too. */
type Added = Pick<RecordHeaders, 'headers' | 'exampleHeaders'>;

/** The headers of the records of rejected submissions. */
const rejectedHeaders = (added: Added | undefined, withSequences: boolean): TSchema =>
  Type.Object(
    {
      ce_specversion,
      ce_source,
      traceparent,
      tracestate,
      ce_partitionkey,
      ...(withSequences && {
        ce_sequence: {
          ...CE_SEQUENCE.ce_sequence,
          description: 'the Sequence of the client, padded with zeros',
        },
      }),
      ce_id: Type.String({
        format: 'uuid',
        description: 'id of this record; a second one with it is a copy',
      }),
      ce_type: Type.Literal(REJECTED_TYPE),
      ce_time: Type.String({ format: 'date-time', description: 'when the submission was rejected' }),
      ce_authtype: Type.String({ description: 'how the client was authenticated' }),
      ce_authid: Type.String({ description: 'the principal who submitted' }),
      ce_problem: Type.String({
        contentMediaType: 'application/json',
        description:
          'the problem (RFC 9457) that the client was answered with, as JSON: `errors` has the violations; shortened to 16 KiB, with `errorsTruncated`',
      }),
      ce_idempotencykey: Type.Optional(Type.String({ description: 'the Idempotency-Key of the client' })),
      ...added?.headers,
      ce_requestid: Type.String({ description: 'x-request-id of the request' }),
      ce_sha256: Type.Optional(
        Type.String({
          pattern: '^[0-9a-f]{64}$',
          description:
            'SHA-256 of the bytes that the client sent, uncompressed; missing when the submission was not received to its end',
        }),
      ),
      'content-type': Type.Optional(
        Type.Literal('application/octet-stream', { description: 'only where the value is there' }),
      ),
    },
    { description: 'CloudEvents attributes and trace context' },
  );

/** The message of a rejected submission. */
const rejectedMessage = (added: Added | undefined, withSequences: boolean): object => ({
  name: REJECTED_TYPE,
  title: 'A rejected submission',
  contentType: 'application/octet-stream',
  headers: rejectedHeaders(added, withSequences),
  payload: {
    type: 'string',
    format: 'binary',
    description:
      'the submission, byte for byte as the client wrote it; empty when it was not received to its end, is too large, or REJECTED_BODIES is false',
  },
  bindings: {
    kafka: {
      key: { type: 'string', description: 'the Partition-Key of the client, or else ce_id' },
      bindingVersion: '0.5.0',
    },
  },
  examples: [
    {
      name: 'unknownOperation',
      payload: BODY,
      headers: {
        ce_specversion: '1.0',
        ce_id: '0199b2c4-6a00-7c1e-9d3f-2f1f0a5b6c7e',
        ce_source: '/operations-service',
        ce_type: REJECTED_TYPE,
        ce_time: '2026-11-21T12:00:00.000Z',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        ce_authtype: 'api_key',
        ce_authid: 'desk-7',
        ce_problem: JSON.stringify(EXAMPLE_PROBLEM),
        ...added?.exampleHeaders,
        ce_requestid: 'c3a1-17',
        ce_sha256: digestOf(Buffer.from(BODY)),
        'content-type': 'application/octet-stream',
      },
    },
  ],
});

/** The topic of rejected submissions, for AsyncAPI. */
export const rejectedTopic = (
  topic: string,
  added: Added | undefined,
  withSequences: boolean,
): TopicParts => ({
  channels: {
    rejected: {
      address: topic,
      description: 'Submissions of authenticated clients that were rejected for what they are.',
      messages: { rejection: { $ref: '#/components/messages/rejection' } },
      bindings: { kafka: { topic, bindingVersion: '0.5.0' } },
    },
  },
  operations: {
    publishRejection: {
      action: 'send',
      channel: { $ref: '#/channels/rejected' },
      summary: 'Writes one record for each rejected submission. Under overload, some are dropped.',
      messages: [{ $ref: '#/channels/rejected/messages/rejection' }],
    },
  },
  messages: { rejection: rejectedMessage(added, withSequences) },
});
