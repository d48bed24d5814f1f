import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { apiResponse, negotiate, type Service } from '@workspace/service-kit';
import { ProblemError } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import type { Databases } from '../../application/location-database.ts';
import { problems } from '../../problems.ts';
import { PUBLIC_HEADERS } from '../headers.ts';
import { type Lookup, MAX_ADDRESSES } from '../lookup/lookup.ts';
import type { Entry, Subject } from './content.ts';
import type { Pages } from './pages.ts';
import { TEXTS } from './texts/index.ts';
import {
  type ChargeFacts,
  type ChargeLines,
  type ChargeLookups,
  chargeProblems,
  chargeSecurity,
  limitHeaders,
  type PrecisionOf,
} from '../rate-limit.ts';
import { attributionsOf } from '../lookup/attribution.ts';
import { type FieldName, valuesOf } from '../lookup/fields.ts';
import { FORMATS, lookupFormats, TEXT_TYPE } from '../lookup/formats/formats.ts';
import type { AnswerFields } from '../lookup/query.ts';
import { type Index, IndexQuery, IndexSchema } from './schemas.ts';

const pathsWith = (more: readonly string[]): string[] => [
  `/{ip}/${lookupFormats().join('/ · ')}/ · jsonp/?callback=f`,
  '/{ip}/{field}/',
  '/json/ and /{field}/ for your own address',
  ...more,
  '?fields=city,country or all · ?lang=de',
  '/health · /docs · /openapi.json · /openapi.yaml',
];

export interface IndexDeps extends AnswerFields, Databases {
  lookup: Lookup;
  precisionOf: PrecisionOf;
  pages: Pages;
  charge: ChargeLookups;
  chargeLines: ChargeLines;
  clock: Clock;
  /** of options */
  paths: readonly string[];
  version: string;
  facts: ChargeFacts;
}

/** The index: the caller's address as text for curl, a page for browsers, JSON for programs that ask for it. */
export const indexRoute = (app: Service, path: string, deps: IndexDeps): void => {
  const schema = {
    operationId: 'index',
    tags: ['service'],
    ...chargeSecurity(deps.facts),
    summary: "The caller's address as text; a page for browsers; the service and its paths as JSON",
    querystring: IndexQuery,
    // The parameters belong to the forms of the page, not to the API.
    described: { querystring: Type.Object({}) },
    problems: [problems['unknown-caller'], ...chargeProblems(deps.facts)],
    response: {
      200: apiResponse('The index.', {
        content: {
          'text/plain': Type.String({ examples: ['8.8.8.8\n'] }),
          'application/json': IndexSchema,
          'text/html': Type.String(),
        },
        headers: {
          Vary: Type.Literal('accept'),
          'Cache-Control': Type.Literal('private, no-store'),
          ...limitHeaders(deps.facts),
        },
      }),
    },
  };
  // The handler charges: only there is the query typed by its schema.
  app.get(path, { schema, ...deps.charge(() => undefined) }, async (request, reply) => {
    const { clock, version, lookup } = deps;
    const type = typeFor(request);
    const lookups = lookupsIn(type, request.query);
    if (lookups > 0) await deps.chargeLines(request, reply, lookups);
    void reply.headers({ ...PUBLIC_HEADERS, 'cache-control': 'private, no-store', vary: 'accept' });
    if (type === 'text/plain') {
      return reply.header('content-type', TEXT_TYPE).send(`${lookup.callerAddress(request).text}\n`);
    }
    const time = clock();
    if (type === 'application/json') {
      const you = await callerEntry(request, deps, time, deps.defaultFields, undefined);
      const index: Index = {
        service: 'ip-locate',
        version,
        you: 'values' in you ? you.values : you.problem,
        paths: pathsWith(deps.paths),
        attributions: attributionsOf(deps),
        notice: TEXTS.en.notice,
      };
      return reply.header('content-type', FORMATS.json.type).serializer(JSON.stringify).send(index);
    }
    const subject = await subjectOf(request, request.query, deps, time);
    return deps.pages.send(request, reply, subject);
  });
};

const TYPES = ['text/plain', 'application/json', 'text/html'] as const;
type IndexType = (typeof TYPES)[number];

const typeFor = ({ headers }: FastifyRequest): IndexType => negotiate(headers.accept, TYPES);

/** What the form sent. */
const addressesIn = ({ addresses = '' }: IndexQuery): string[] => addresses.split(/[\s,;]+/).filter(Boolean);

/** The caller's own address as text is no lookup. */
const lookupsIn = (type: IndexType, query: IndexQuery): number => {
  if (type === 'text/plain') return 0;
  const listed = type === 'text/html' ? addressesIn(query).length : 0;
  return Math.min(Math.max(1, listed), MAX_ADDRESSES);
};

/** What the page is about: the addresses a form sent, or the caller. */
const subjectOf = async (
  request: FastifyRequest,
  query: IndexQuery,
  deps: IndexDeps,
  time: Date,
): Promise<Subject> => {
  const language = deps.pages.languageFor(request);
  const addresses = addressesIn(query);
  if (addresses.length > 0) {
    const shown = addresses.slice(0, MAX_ADDRESSES);
    const entries = shown.map((ip) => deps.pages.entryOf(request, ip, time, language));
    return { type: 'list', entries, omitted: addresses.length - shown.length };
  }
  const ip = query.ip?.trim();
  if (ip) return { type: 'address', entry: deps.pages.entryOf(request, ip, time, language) };
  const entry = await callerEntry(request, deps, time, deps.allFields, language);
  const { reserved, trusted } = entry;
  return { type: 'caller', entry, reserved, trusted };
};

const callerEntry = async (
  request: FastifyRequest,
  { lookup, precisionOf }: IndexDeps,
  time: Date,
  fields: readonly FieldName[],
  lang: string | undefined,
): Promise<Entry & { reserved: boolean; trusted: boolean }> => {
  try {
    const located = lookup.caller(request, lang, time, precisionOf(request));
    const result = await lookup.withHostname(located, fields);
    return { ip: result.address.text, values: valuesOf(result, fields), reserved: false, trusted: false };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const problem = error.message;
    if (error.type !== problems['reserved-address'])
      return { ip: '', problem, reserved: false, trusted: false };
    const address = lookup.callerAddress(request);
    return { ip: address.text, problem, reserved: true, trusted: lookup.isTrustedProxy(address) };
  }
};
