import { type TSchema, Type } from '@sinclair/typebox';
import { Problem } from '@workspace/schemas';
import {
  type ApiResponses,
  apiResponse,
  type ProblemFormat,
  type ProblemType,
  RATE_LIMIT_HEADERS,
} from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { API_KEY_SCHEMES } from '../api-keys.ts';
import { FIELD_NAMES, type FieldName } from '../representations/fields.ts';
import { FORMATS } from '../representations/formats.ts';
import { problemBody } from '../representations/problem.ts';
import { Query } from './query.ts';

/** What the description of a lookup depends on: it tells of this instance. */
export interface LookupFacts {
  readonly withRateLimit: boolean;
  /** whether invalid and reserved addresses are answered with status 200 */
  readonly withErrorsAs200: boolean;
  /** undefined when the service has none */
  readonly apiKeys: 'required' | 'optional' | undefined;
}

/** Problems in the shape of this service: ipapi.co's members first, and plain JSON. */
export const LOCATION_PROBLEMS: ProblemFormat = {
  contentType: FORMATS.json.type,
  schema: Type.Object(
    {
      error: Type.Literal(true),
      reason: Type.String({ description: 'the title, which is contract as type is' }),
      message: Type.String(),
      ip: Type.Optional(Type.String({ description: 'the address it is about' })),
      reserved: Type.Optional(Type.Literal(true)),
      ...Problem.properties,
    },
    { $id: 'Problem', additionalProperties: true },
  ),
  body: problemBody,
};

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

/** What a request that is charged may be answered instead. */
export const chargeProblems = ({ withRateLimit, apiKeys }: LookupFacts): ProblemType[] => [
  ...(apiKeys === 'required' ? [problems['key-required']] : []),
  ...(apiKeys ? [problems['invalid-key']] : []),
  ...(withRateLimit ? [problems['rate-limited']] : []),
];

/** The ways to send an API key, for the description of a request that is charged. */
export const chargeSecurity = ({ apiKeys }: LookupFacts): { security?: Record<string, string[]>[] } => {
  if (apiKeys === undefined) return {};
  const schemes = Object.keys(API_KEY_SCHEMES).map((name) => ({ [name]: [] }));
  return { security: apiKeys === 'required' ? schemes : [{}, ...schemes] };
};

/** Invalid and reserved addresses, where they are not answered with 200. */
export const addressProblems = ({ withErrorsAs200 }: LookupFacts): ProblemType[] =>
  withErrorsAs200 ? [] : [problems['invalid-address'], problems['reserved-address']];

const withErrors = (content: Readonly<Record<string, TSchema>>, { withErrorsAs200 }: LookupFacts) => {
  if (!withErrorsAs200) return content;
  const json = content[FORMATS.json.type];
  const error = LOCATION_PROBLEMS.schema;
  return { ...content, [FORMATS.json.type]: json ? Type.Unsafe({ anyOf: [json, error] }) : error };
};

/** The headers of a successful answer that is charged. */
export const limitHeaders = ({ withRateLimit }: LookupFacts) => (withRateLimit ? RATE_LIMIT_HEADERS : {});

/** The responses of a lookup of the address that the path names: anyone may store them. */
export const addressResponses = (
  content: Readonly<Record<string, TSchema>>,
  facts: LookupFacts,
): ApiResponses => ({
  200: apiResponse('The location.', {
    content: withErrors(content, facts),
    headers: { ETag, ...DataHeaders, ...limitHeaders(facts) },
  }),
  304: apiResponse('The client has this answer already (If-None-Match).', {
    headers: { ETag, ...DataHeaders, ...limitHeaders(facts) },
  }),
});

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
