import { type TObject, Type } from '@sinclair/typebox';
import { type Clock, commonProblems, negotiate, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import type { LocationAnswers } from '../location-answers.ts';
import type { ChargeLookups } from '../rate-limit.ts';
import { FIELD_NAMES } from '../representations/fields.ts';
import {
  FIELD_CONTENT,
  formatContent,
  type FormatName,
  FORMATS,
  type RecordFormat,
  recordFormats,
} from '../representations/formats.ts';
import { parseField } from '../representations/view.ts';
import {
  addressProblems,
  addressResponses,
  callerResponses,
  chargeSecurity,
  FieldParameter,
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

const tags = ['locations'];
const Ip = Type.Object({ ip: IpParameter });
const IpAndField = Type.Object({ ip: Type.String(), field: Type.String() });
const IpOrField = Type.Object({ name: Type.String() });

/** `locate`, `locateCsv`: JSON is what nearly all clients ask for. */
const idOf = (id: string, format: FormatName): string =>
  format === 'json' ? id : id + format[0]?.toUpperCase() + format.slice(1);
const queryOf = (format: FormatName): TObject => (format === 'jsonp' ? ScriptQuery : RecordQuery);
const scriptProblems = (format: FormatName) => (format === 'jsonp' ? [problems['invalid-callback']] : []);

/** An address, in a format; as JSON it is the path of nearly all requests. */
export function addressRoute(
  app: Service,
  path: `/:ip/${FormatName}` | `/${FormatName}/:ip`,
  format: FormatName,
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
    return answers.sendAddress(request, reply, ip, parseField(field), time);
  });
}

/** The caller, in a format. */
export function callerRoute(
  app: Service,
  path: `/${FormatName}`,
  format: FormatName,
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
    response: addressResponses({ ...formatContent(...recordFormats()), ...FIELD_CONTENT }, facts),
  };
  const accepted = byAccept();
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const { name } = request.params;
    const time = clock();
    const isAddress = /[.:]/.test(name);
    if (!isAddress) return answers.sendCaller(request, reply, parseField(name), time);
    void reply.header('vary', 'accept');
    return answers.sendAddress(request, reply, name, accepted(request.headers.accept), time);
  });
}

/** Chooses the format that an Accept header prefers. */
function byAccept(): (accept: string | undefined) => RecordFormat {
  const byType = new Map(recordFormats().map((name) => [FORMATS[name].type.split(';', 1)[0]!, name]));
  const types = [...byType.keys()] as [string, ...string[]];
  return (accept) => byType.get(negotiate(accept, types))!;
}
