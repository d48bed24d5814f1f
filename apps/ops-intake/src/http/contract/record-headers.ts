import { type TObject, type TSchema, Type } from '@sinclair/typebox';

/** Added to records of submissions with a `Sequence`, where that is read. */
export const CE_SEQUENCE = {
  ce_sequence: Type.Optional(
    Type.String({
      pattern: '^[0-9]{15}$',
      description:
        'the Sequence of the client, padded with zeros: without gaps for each ce_partitionkey and ce_authid',
    }),
  ),
};

/** The headers of the record of every submission: CloudEvents 1.0 in Kafka's binary mode, and W3C Trace Context. All are UTF-8 text. */
export const RecordHeaders = Type.Object(
  {
    ce_specversion: Type.Literal('1.0'),
    ce_id: Type.String({
      format: 'uuid',
      description: 'the submission id; a second record with the same id is a copy to be dropped',
    }),
    ce_source: Type.Literal('/operations-service'),
    ce_type: Type.String(),
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

/** What decides which headers the records of a schema have. */
export interface RecordFacts {
  readonly withSequences: boolean;
  /** headers that options add to every record */
  readonly added: readonly Readonly<Record<string, TSchema>>[];
  /** `ce_type` */
  readonly type: string;
  /** `ce_dataschema`; undefined for the built-in schema */
  readonly dataSchema: string | undefined;
}

/** The headers of the records that are written with these facts. */
export const recordHeaders = ({ withSequences, added, type, dataSchema }: RecordFacts): TObject => {
  const properties: Record<string, TSchema> = { ...RecordHeaders.properties, ce_type: Type.Literal(type) };
  if (dataSchema !== undefined)
    properties['ce_dataschema'] = Type.Literal(dataSchema, { description: 'the schema of the value' });
  if (withSequences) Object.assign(properties, CE_SEQUENCE);
  return Type.Object(Object.assign(properties, ...added) as Record<string, TSchema>, {
    description: RecordHeaders.description!,
  });
};
