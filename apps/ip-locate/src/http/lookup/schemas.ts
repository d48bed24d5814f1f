import { type TSchema, Type } from '@sinclair/typebox';
import { type ApiResponses, apiResponse } from '@workspace/service-kit';
import type { ProblemType } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';
import { LOCATION_PROBLEMS } from '../problem.ts';
import { type ChargeFacts, chargeProblems, limitHeaders } from '../rate-limit.ts';
import { FIELD_NAMES, type FieldName } from './fields.ts';
import { FORMATS } from './formats/formats.ts';
import { Query } from './query.ts';

/** What the description of a lookup depends on: the settings of this instance. */
export interface LookupFacts extends ChargeFacts {
  /** whether invalid and reserved addresses are answered with status 200 */
  readonly withErrorsAs200: boolean;
}

export const IpParameter = Type.String({
  description: 'a public address, IPv4 or IPv6',
  examples: ['8.8.8.8'],
});
export const FieldParameter = Type.Unsafe<FieldName>({
  type: 'string',
  enum: FIELD_NAMES,
  description: 'name of a field',
});

/** The query of what is not a script: there is no function to call. */
export const RecordQuery = Type.Omit(Query, ['callback']);

/** The query of a script: a page reads neither statuses nor problems there, so a wrong one is an answer like any other. */
export const ScriptQuery = Type.Object({
  ...Query.properties,
  fields: Type.Optional(Type.String({ description: Query.properties.fields.description ?? '' })),
});

const DataHeaders = {
  'Cache-Control': Type.String({ examples: ['public, max-age=3600'] }),
  'X-Database-Date': Type.String({ format: 'date', description: 'when the database was built' }),
  'X-Location-Source': Type.Optional(
    Type.Literal('overlay', { description: 'only when the location comes from OVERLAY_PATH' }),
  ),
  Link: Type.String({
    description: 'the licence of the data, where it requires credit',
    examples: ['<https://db-ip.com>; rel="license"'],
  }),
};
const ETag = Type.String({ examples: ['W/"2Qq3Wg8KzR5T-json"'] });

/** What every lookup may answer besides a location. */
export const lookupProblems = (facts: LookupFacts): ProblemType[] => [
  problems['unknown-field'],
  ...chargeProblems(facts),
  problems['lookup-failed'],
  problems['no-database'],
];

/** Invalid and reserved addresses, with the status of their answers. */
export const addressProblems = ({ withErrorsAs200 }: LookupFacts): ProblemType[] =>
  [problems['invalid-address'], problems['reserved-address']].map((type) =>
    withErrorsAs200 ? { ...type, status: 200 } : type,
  );

const withErrors = (content: Readonly<Record<string, TSchema>>, { withErrorsAs200 }: LookupFacts) => {
  if (!withErrorsAs200) return content;
  const json = content[FORMATS.json.type];
  const error = LOCATION_PROBLEMS.schema;
  return { ...content, [FORMATS.json.type]: json ? Type.Unsafe({ anyOf: [json, error] }) : error };
};

/** The responses of a lookup of the address that the path names: anyone may store them. */
export const addressResponses = (
  content: Readonly<Record<string, TSchema>>,
  facts: LookupFacts,
): ApiResponses => {
  const headers = { ETag, ...DataHeaders, ...limitHeaders(facts) };
  return {
    200: apiResponse('The location.', { content: withErrors(content, facts), headers }),
    304: apiResponse('The client has this answer already (If-None-Match).', { headers }),
  };
};

/** The responses of a lookup of the caller's address: caches must not store them. */
export const callerResponses = (
  content: Readonly<Record<string, TSchema>>,
  facts: LookupFacts,
): ApiResponses => ({
  200: apiResponse("The caller's location.", {
    content: withErrors(content, facts),
    headers: { ...DataHeaders, ...limitHeaders(facts) },
  }),
});
