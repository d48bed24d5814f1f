import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { Health, PROBLEM_CONTENT_TYPE } from '@workspace/schemas';
import {
  type ApiOperation,
  type ApiResponse,
  commonProblems,
  openApiDocument,
  type ProblemType,
  problemResponses,
} from '@workspace/service-kit';
import { ALL_FIELDS, RecordSchema } from './representations/fields.ts';
import { problems } from '../problems.ts';
import { FORMATS, SCRIPT_TYPE, TEXT_TYPE } from './representations/formats.ts';

/** What a description depends on: it tells of this instance. */
export interface ApiFacts {
  version: string;
  /** of every lookup */
  query: TObject;
  /** of a batch */
  batch: TSchema;
  withRateLimit: boolean;
  /** whether invalid and reserved addresses are answered with status 200 */
  withErrorsAs200: boolean;
}

const JSON_TYPE = FORMATS.json.type;
const text = (description: string): TSchema => Type.String({ description });

const Ip = Type.Object({
  ip: Type.Unsafe({
    anyOf: [
      { type: 'string', format: 'ipv4' },
      { type: 'string', format: 'ipv6' },
    ],
    description: 'a public address',
  }),
});
const Name = Type.Object({
  view: Type.Unsafe({
    type: 'string',
    enum: [...Object.keys(FORMATS), 'jsonp', ...ALL_FIELDS],
    description: 'a format of the record, or one field of it as text',
  }),
});

const OTHER_VIEWS = {
  [FORMATS.csv.type]: text('a row of names, a row of values (RFC 4180)'),
  [FORMATS.xml.type]: text('an element a field'),
  [FORMATS.yaml.type]: RecordSchema,
  [SCRIPT_TYPE]: text('a call of the callback with the record, or with a problem'),
  [TEXT_TYPE]: text('the value of one field'),
};

const { 'invalid-address': invalid, 'reserved-address': reserved, 'unknown-caller': unknown } = problems;
const { 'unknown-field': field, 'invalid-callback': callback, 'batch-too-large': tooLarge } = problems;
const { 'rate-limited': limited, 'lookup-failed': failed, 'no-database': noData } = problems;
const requests = [
  commonProblems['bad-request'],
  commonProblems['invalid-request'],
  field,
  commonProblems['uri-too-long'],
];
const bodies = (
  ['malformed-json', 'body-too-large', 'unsupported-media-type', 'request-timeout'] as const
).map((code) => commonProblems[code]);

const ErrorAs200 = Type.Object({
  error: Type.Literal(true),
  reason: Type.Unsafe<string>({ type: 'string', enum: [invalid.title, reserved.title] }),
});

/** Problems in the shape of this service: ipapi.co's members first, and plain JSON. */
function refused(kinds: readonly ProblemType[]): Record<string, ApiResponse> {
  const members = {
    error: Type.Literal(true),
    reason: Type.String({ description: 'contract, as type is' }),
    message: Type.String(),
    ip: Type.String({ description: 'the address it is about' }),
    reserved: Type.Literal(true),
  };
  return Object.fromEntries(
    Object.entries(problemResponses(kinds, members)).map(([status, { description, content }]) => [
      status,
      { description, content: { [JSON_TYPE]: content?.[PROBLEM_CONTENT_TYPE] ?? Type.Object({}) } },
    ]),
  );
}

/** The service as OpenAPI 3.1. */
export function openApi({ version, query, batch, withRateLimit, withErrorsAs200 }: ApiFacts): object {
  const always = [...(withRateLimit ? [limited] : []), failed, noData];
  const nowhere = withErrorsAs200 ? [] : [invalid, reserved];
  const answer = withErrorsAs200 ? Type.Unsafe({ anyOf: [RecordSchema, ErrorAs200] }) : RecordSchema;
  const record: ApiResponse = { description: 'Where it is.', content: { [JSON_TYPE]: answer } };
  const anyView: ApiResponse = {
    description: 'Where it is, in that format, or one field; missing values are empty, null or None.',
    content: { [JSON_TYPE]: answer, ...OTHER_VIEWS },
  };
  const lookup = { method: 'get', tag: 'locations', query } as const;
  const operations: ApiOperation[] = [
    {
      ...lookup,
      path: '/:ip/json',
      id: 'locate',
      summary: 'Where an address is',
      params: Ip,
      responses: { 200: record, ...refused([...requests, ...nowhere, ...always]) },
    },
    {
      ...lookup,
      path: '/json',
      id: 'locateCaller',
      summary: 'Where the caller is',
      responses: { 200: record, ...refused([...requests, ...nowhere, unknown, ...always]) },
    },
    {
      ...lookup,
      path: '/:ip/:view',
      id: 'locateAs',
      summary: 'Where an address is, in another format, or one field',
      params: Type.Object({ ...Ip.properties, ...Name.properties }),
      responses: {
        200: anyView,
        ...refused([...requests, ...nowhere, callback, commonProblems['not-found'], ...always]),
      },
    },
    {
      ...lookup,
      path: '/:view',
      id: 'locateCallerAs',
      summary: 'Where the caller is, in another format, or one field',
      params: Name,
      responses: {
        200: anyView,
        ...refused([...requests, ...nowhere, unknown, callback, commonProblems['not-found'], ...always]),
      },
    },
    {
      ...lookup,
      method: 'post',
      path: '/batch',
      id: 'locateAll',
      summary: 'Where many addresses are, in their order',
      body: { content: { [JSON_TYPE]: batch } },
      responses: {
        200: {
          description: 'A record for each address, or the problem it would have met alone.',
          content: { [JSON_TYPE]: Type.Array(Type.Unsafe({ anyOf: [RecordSchema, { type: 'object' }] })) },
        },
        ...refused([...requests, ...bodies, tooLarge, ...always]),
      },
    },
    {
      ...lookup,
      path: '/auth',
      id: 'auth',
      tag: 'service',
      summary: 'Where the caller is, in x-geo- headers, for nginx’s auth_request; never denies',
      responses: { 204: { description: 'Headers only.' }, ...refused(requests) },
    },
    {
      method: 'get',
      path: '/health',
      id: 'health',
      tag: 'service',
      summary: 'The state of the data',
      responses: {
        200: { description: 'It answers.', content: { [JSON_TYPE]: Health } },
        503: { description: 'There is none.', content: { [JSON_TYPE]: Health } },
      },
    },
  ];
  return openApiDocument({
    title: 'ip-locate',
    version,
    description: 'Tells where an IP address is, as ipapi.co does.',
    operations,
  });
}
