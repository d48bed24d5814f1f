import { type TObject, Type } from '@sinclair/typebox';
import { negotiate, type Service } from '@workspace/service-kit';
import { commonProblems, type ProblemType } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import { problems } from '../../problems.ts';
import { type ChargeLookups, chargeSecurity } from '../rate-limit.ts';
import { FIELD_NAMES } from './fields.ts';
import {
  FIELD_CONTENT,
  formatContent,
  type FormatName,
  FORMATS,
  type RecordFormat,
  lookupFormats,
} from './formats/formats.ts';
import type { Pages } from '../page/pages.ts';
import type { LocationAnswers } from './location-answers.ts';
import { Query } from './query.ts';
import {
  addressProblems,
  addressResponses,
  callerResponses,
  FieldParameter,
  IpParameter,
  type LookupFacts,
  lookupProblems,
  RecordQuery,
  ScriptQuery,
} from './schemas.ts';
import { parseField } from './representation.ts';

export interface LocationDeps {
  answers: LocationAnswers;
  /** answers browsers */
  pages: Pick<Pages, 'sendAddress'>;
  charge: ChargeLookups;
  clock: Clock;
  facts: LookupFacts;
}

/** An address with a zone, as commands print it: `/fe80::1%eth0/json/`. Its `%` is to be read as that, for an error that says so. */
export const withReadablePercents = (url: string): string => {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split('?');
  if (!/^\/[^%]*[.:][^/]*%/.test(path) || isEncoded(path)) return url;
  return [path.replaceAll('%', '%25'), ...query].join('?');
};

const isEncoded = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

const Ip = Type.Object({ ip: IpParameter });
/** Some services take the address as a parameter. */
const CallerQuery = Type.Composite([
  Query,
  Type.Object({ ip: Type.Optional(Type.String({ description: 'another address than the caller’s' })) }),
]);
const IpAndField = Type.Object({ ip: Type.String(), field: Type.String() });
const IpOrField = Type.Object({ name: Type.String() });

/** What the schemas of all lookups have in common. */
const lookupSchema = (facts: LookupFacts, ...more: readonly ProblemType[]) => ({
  tags: ['locations'],
  ...chargeSecurity(facts),
  querystring: Query,
  problems: [...addressProblems(facts), ...more, ...lookupProblems(facts)],
});

/** `locate`, `locateCsv`: JSON is what nearly all clients ask for. */
const idOf = (id: string, format: FormatName): string =>
  format === 'json' ? id : id + format[0]?.toUpperCase() + format.slice(1);
const queryOf = (format: FormatName): TObject => (format === 'jsonp' ? ScriptQuery : RecordQuery);
const scriptProblems = (format: FormatName) => (format === 'jsonp' ? [problems['invalid-callback']] : []);

/** An address, in a format; as JSON it is the path of nearly all requests. */
export const addressRoute = (
  app: Service,
  path: `/:ip/${FormatName}` | `/${FormatName}/:ip`,
  format: FormatName,
  { answers, charge, clock, facts }: LocationDeps,
): void => {
  const schema = {
    ...lookupSchema(facts, ...scriptProblems(format)),
    operationId: idOf('locate', format),
    // An alias, for who has read the path of another service.
    hide: !path.startsWith('/:ip'),
    summary: `Where an address is, as ${format.toUpperCase()}`,
    params: Ip,
    described: { querystring: queryOf(format) },
    response: addressResponses(formatContent(format), facts),
  };
  app.get(path, { schema, ...charge() }, (request, reply) =>
    answers.sendAddress(request, reply, request.params.ip, format, clock()),
  );
};

/** One field of the location of an address. */
export const addressFieldRoute = (
  app: Service,
  path: string,
  { answers, charge, clock, facts }: LocationDeps,
): void => {
  const schema = {
    ...lookupSchema(facts, commonProblems['not-found']),
    operationId: 'locateField',
    summary: 'One field of the location of an address',
    params: IpAndField,
    described: {
      params: Type.Object({ ip: IpParameter, field: FieldParameter }),
      querystring: RecordQuery,
    },
    response: addressResponses(FIELD_CONTENT, facts),
  };
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const { ip, field } = request.params;
    return answers.sendAddress(request, reply, ip, parseField(field), clock());
  });
};

/** The caller, in a format. */
export const callerRoute = (
  app: Service,
  path: `/${FormatName}`,
  format: FormatName,
  { answers, charge, clock, facts }: LocationDeps,
): void => {
  const schema = {
    ...lookupSchema(facts, problems['unknown-caller'], ...scriptProblems(format)),
    operationId: idOf('locateCaller', format),
    summary: `Where the caller is, as ${format.toUpperCase()}`,
    querystring: CallerQuery,
    described: { querystring: Type.Composite([queryOf(format), Type.Pick(CallerQuery, ['ip'])]) },
    response: callerResponses(formatContent(format), facts),
  };
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const { ip } = request.query;
    if (ip !== undefined) return answers.sendAddress(request, reply, ip, format, clock());
    return answers.sendCaller(request, reply, format, clock());
  });
};

/** One field of the caller's location; or an address alone, in the format that the Accept header prefers, which is a page for browsers. */
export const callerFieldRoute = (
  app: Service,
  path: string,
  { answers, pages, charge, clock, facts }: LocationDeps,
): void => {
  const schema = {
    ...lookupSchema(facts, problems['unknown-caller'], commonProblems['not-found']),
    operationId: 'locateNegotiated',
    summary: "An address, in the format the Accept header prefers; or one field of the caller's location",
    params: IpOrField,
    querystring: CallerQuery,
    described: {
      params: Type.Object({
        name: Type.String({
          description: `an address, or one of ${FIELD_NAMES.join(', ')}`,
          examples: ['8.8.8.8', 'city'],
        }),
      }),
      querystring: Type.Composite([RecordQuery, Type.Pick(CallerQuery, ['ip'])]),
    },
    response: addressResponses(
      { ...formatContent(...lookupFormats()), ...FIELD_CONTENT, [PAGE_TYPE]: Type.String() },
      facts,
    ),
  };
  const accepted = byAccept();
  app.get(path, { schema, ...charge() }, (request, reply) => {
    const { name } = request.params;
    const isAddress = /[.:]/.test(name);
    if (!isAddress) {
      const { ip } = request.query;
      const field = parseField(name);
      if (ip !== undefined) return answers.sendAddress(request, reply, ip, field, clock());
      return answers.sendCaller(request, reply, field, clock());
    }
    void reply.header('vary', 'accept');
    const format = accepted(request.headers.accept);
    if (format !== 'page') return answers.sendAddress(request, reply, name, format, clock());
    return pages.sendAddress(request, reply, { ip: name, time: clock() });
  });
};

const PAGE_TYPE = 'text/html';

/** Chooses what an Accept header prefers: a format, or the page, which browsers ask for. */
const byAccept = (): ((accept: string | undefined) => RecordFormat | 'page') => {
  const byType = new Map<string, RecordFormat | 'page'>(
    lookupFormats().map((name) => [FORMATS[name].type.split(';', 1)[0]!, name]),
  );
  byType.set(PAGE_TYPE, 'page');
  const types = [...byType.keys()] as [string, ...string[]];
  return (accept) => byType.get(negotiate(accept, types))!;
};
