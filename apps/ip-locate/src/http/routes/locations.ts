import { type TObject, Type } from '@sinclair/typebox';
import { type Clock, commonProblems, negotiate, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import type { LocationAnswers } from '../location-answers.ts';
import type { ChargeLookups } from '../rate-limit.ts';
import { FIELD_NAMES } from '../representations/fields.ts';
import type { FormatName } from '../representations/formats.ts';
import { parseView, type View } from '../representations/view.ts';
import {
  addressProblems,
  addressResponses,
  callerResponses,
  chargeSecurity,
  FIELD_CONTENT,
  FieldParameter,
  formatContent,
  IpParameter,
  type LookupFacts,
  lookupProblems,
  RecordQuery,
  ScriptQuery,
} from '../schemas/location.ts';
import { Query } from '../schemas/query.ts';

export interface LocationDeps {
  answers: LocationAnswers;
  charge: ChargeLookups;
  clock: Clock;
  facts: LookupFacts;
}

type Format = FormatName | 'jsonp';

const tags = ['locations'];
const Ip = Type.Object({ ip: IpParameter });
const IpAndField = Type.Object({ ip: Type.String(), field: Type.String() });
const IpOrField = Type.Object({ name: Type.String() });

/** `locate`, `locateCsv`: JSON is what nearly all clients ask for. */
const idOf = (id: string, format: Format): string =>
  format === 'json' ? id : id + format[0]?.toUpperCase() + format.slice(1);
const queryOf = (format: Format): TObject => (format === 'jsonp' ? ScriptQuery : RecordQuery);
const scriptProblems = (format: Format) => (format === 'jsonp' ? [problems['invalid-callback']] : []);

/** An address, in a format; as JSON it is the path of nearly all requests. */
export function addressRoute(
  app: Service,
  path: `/:ip/${Format}` | `/${Format}/:ip`,
  format: Format,
  { answers, charge, clock, facts }: LocationDeps,
): void {
  const schema = {
    operationId: idOf(path.startsWith('/:ip') ? 'locate' : 'locateAlias', format),
    tags,
    ...chargeSecurity(facts),
    summary: `Where an address is, as ${format.toUpperCase()}`,
    params: Ip,
    querystring: Query,
    described: { querystring: queryOf(format) },
    problems: [...addressProblems(facts), ...scriptProblems(format), ...lookupProblems(facts)],
    response: addressResponses(formatContent(format), facts),
  };
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const time = clock();
    return answers.sendAddress(request, reply, request.params.ip, format, time);
  });
}

/** One field of the location of an address. */
export function addressFieldRoute(
  app: Service,
  path: string,
  { answers, charge, clock, facts }: LocationDeps,
): void {
  const schema = {
    operationId: 'locateField',
    tags,
    ...chargeSecurity(facts),
    summary: 'One field of the location of an address',
    params: IpAndField,
    querystring: Query,
    described: {
      params: Type.Object({ ip: IpParameter, field: FieldParameter }),
      querystring: RecordQuery,
    },
    problems: [...addressProblems(facts), commonProblems['not-found'], ...lookupProblems(facts)],
    response: addressResponses(FIELD_CONTENT, facts),
  };
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const { ip, field } = request.params;
    const time = clock();
    return answers.sendAddress(request, reply, ip, parseView(field), time);
  });
}

/** The caller, in a format. */
export function callerRoute(
  app: Service,
  path: `/${Format}`,
  format: Format,
  { answers, charge, clock, facts }: LocationDeps,
): void {
  const schema = {
    operationId: idOf('locateCaller', format),
    tags,
    ...chargeSecurity(facts),
    summary: `Where the caller is, as ${format.toUpperCase()}`,
    querystring: Query,
    described: { querystring: queryOf(format) },
    problems: [
      problems['unknown-caller'],
      ...addressProblems(facts),
      ...scriptProblems(format),
      ...lookupProblems(facts),
    ],
    response: callerResponses(formatContent(format), facts),
  };
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const time = clock();
    return answers.sendCaller(request, reply, format, time);
  });
}

/** One field of the caller's location; or an address alone, in the format that the Accept header prefers. */
export function callerFieldRoute(
  app: Service,
  path: string,
  { answers, charge, clock, facts }: LocationDeps,
): void {
  const schema = {
    operationId: 'locateNegotiated',
    tags,
    ...chargeSecurity(facts),
    summary: "An address, in the format the Accept header prefers; or one field of the caller's location",
    params: IpOrField,
    querystring: Query,
    described: {
      params: Type.Object({
        name: Type.String({
          description: `an address, or one of ${FIELD_NAMES.join(', ')}`,
          examples: ['8.8.8.8', 'city'],
        }),
      }),
      querystring: RecordQuery,
    },
    problems: [
      ...addressProblems(facts),
      problems['unknown-caller'],
      commonProblems['not-found'],
      ...lookupProblems(facts),
    ],
    response: addressResponses({ ...formatContent('json', 'xml', 'csv', 'yaml'), ...FIELD_CONTENT }, facts),
  };
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const { name } = request.params;
    const time = clock();
    const isAddress = /[.:]/.test(name);
    if (!isAddress) return answers.sendCaller(request, reply, parseView(name), time);
    void reply.header('vary', 'accept');
    return answers.sendAddress(request, reply, name, acceptedView(request.headers.accept), time);
  });
}

const VIEW_BY_TYPE = {
  'application/json': 'json',
  'application/xml': 'xml',
  'text/csv': 'csv',
  'application/yaml': 'yaml',
} as const;

const acceptedView = (accept: string | undefined): View =>
  VIEW_BY_TYPE[negotiate(accept, ['application/json', 'application/xml', 'text/csv', 'application/yaml'])];
