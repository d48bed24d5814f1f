import type { TSchema } from '@sinclair/typebox';
import { exampleOperation } from '../../domain/operation.ts';
import type { SubmissionLimits } from '../../domain/submission.ts';
import type { OperationSchema } from '../../application/operation-schema.ts';
import { recordHeaders } from './record-headers.ts';
import type { TopicParts } from './topic-parts.ts';
import { submissionSchema } from '../submit/submission-schema.ts';

/** What the description of the topic depends on. */
export interface TopicFacts {
  readonly version: string;
  readonly topic: string;
  /** brokers as `host:port` */
  readonly brokers: readonly string[];
  readonly limits: SubmissionLimits;
  /** whether `Sequence` is read */
  readonly withSequences: boolean;
  /** what options add */
  readonly parts: readonly TopicParts[];
  /** the schemas of operations, at least one */
  readonly schemas: readonly OperationSchema[];
}

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** A schema without the names that TypeBox schemas have among each other: in a document of its own they mean addresses. */
const withoutIds = (schema: TSchema): object =>
  JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === '$id' ? undefined : value))) as object;

/** The array that a record has as its value. An own schema stays as it is written: `$id` may be a member's name in it. */
const valueSchema = ({ own }: OperationSchema, limits: SubmissionLimits): object => {
  const array = withoutIds(submissionSchema(limits));
  return own ? { ...array, items: own.operation } : array;
};

/** The value of a record, as JSON Schema 2020-12. */
export const recordSchema = (schema: OperationSchema, limits: SubmissionLimits): object => ({
  $schema: DRAFT,
  ...(schema.own && { $id: schema.own.dataSchema }),
  title: `Value of an ${schema.type} record`,
  ...valueSchema(schema, limits),
  description: 'The operations of one submission, in order, byte for byte as the client wrote them.',
});

/** The message of a schema among others; the only one is simply the submission. */
const messageName = ({ name }: OperationSchema, schemas: readonly OperationSchema[]): string =>
  schemas.length === 1 ? 'submission' : name;

/** The members of all of these. */
const merged = (parts: readonly (object | undefined)[]): object => Object.assign({}, ...parts) as object;

const message = (schema: OperationSchema, { limits, withSequences, parts }: TopicFacts): object => ({
  name: schema.type,
  title: 'A submission of operations',
  contentType: 'application/json',
  headers: withoutIds(
    recordHeaders({
      withSequences,
      added: parts.map(({ headers = {} }) => headers),
      type: schema.type,
      dataSchema: schema.own?.dataSchema,
    }),
  ),
  payload: valueSchema(schema, limits),
  bindings: {
    kafka: {
      key: {
        type: 'string',
        description: 'the Partition-Key of the client, or else the submission id',
      },
      ...merged(parts.map(({ messageBinding }) => messageBinding)),
      bindingVersion: '0.5.0',
    },
  },
  examples: [
    {
      name: schema.own ? 'example' : 'oneBuy',
      payload: JSON.parse(`[${schema.own?.examples[0] ?? exampleOperation()}]`) as unknown,
      headers: {
        ce_specversion: '1.0',
        ce_id: '0199b2c4-6a00-7c1e-9d3f-2f1f0a5b6c7d',
        ce_source: '/operations-service',
        ce_type: schema.type,
        ...(schema.own && { ce_dataschema: schema.own.dataSchema }),
        ce_time: '2026-11-21T12:00:00.000Z',
        'content-type': 'application/json',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        ...merged(parts.map(({ exampleHeaders }) => exampleHeaders)),
      },
    },
  ],
});

/** The topic as AsyncAPI 3.0: what a consumer has to know of its records. */
export const asyncApiDocument = (facts: TopicFacts): object => {
  const { version, topic, brokers, schemas, parts } = facts;
  const channel = { $ref: '#/channels/operations' };
  const names = schemas.map((schema) => messageName(schema, schemas));
  const protocol = parts.find((part) => part.protocol)?.protocol ?? 'kafka';
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'ops-intake',
      version,
      description:
        'Trading operations in a Kafka topic. A record is one submission, acknowledged by every in-sync replica. Drop records whose ce_id was seen before.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: Object.fromEntries(
      brokers.map((host, index) => [`broker-${index + 1}`, { host, protocol, description: 'Apache Kafka' }]),
    ),
    channels: {
      operations: {
        address: topic,
        description:
          'Submissions. Those with the same key are in one partition, in the order of their 202 answers.',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { kafka: { topic, bindingVersion: '0.5.0' } },
      },
      ...merged(parts.map(({ channels }) => channels)),
    },
    operations: {
      publishSubmission: {
        action: 'send',
        channel,
        summary: 'Writes one record for each submission, with acks=all.',
        messages: names.map((name) => ({ $ref: `#/channels/operations/messages/${name}` })),
      },
      ...merged(parts.map(({ operations }) => operations)),
    },
    components: {
      messages: {
        ...Object.fromEntries(
          schemas.map((schema) => [messageName(schema, schemas), message(schema, facts)]),
        ),
        ...merged(parts.map(({ messages }) => messages)),
      },
    },
  };
};
