import { isDeepStrictEqual } from 'node:util';
import { parse as parseYaml } from 'yaml';

/** A request for an operation, in the terms of its description. */
export interface ApiCall {
  readonly operationId: string;
  /** tells it from the other calls of a service; the operation's, unless this says otherwise */
  readonly name?: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** of the body; JSON unless this says otherwise */
  readonly contentType?: string;
}

/** A call with what the document says of its operation. */
export interface DescribedCall extends ApiCall {
  readonly name: string;
  readonly method: string;
  readonly template: string;
  readonly tag: string;
  readonly path: Readonly<Record<string, string>>;
  /** whether the operation has parameters in the query */
  readonly takesQuery: boolean;
  /** the headers that are described */
  readonly parameterHeaders: Readonly<Record<string, string>>;
  /** the others */
  readonly headers: Readonly<Record<string, string>>;
  /** the document has one response for each status */
  readonly responses: Readonly<Record<string, Content>>;
}

/** How an operation answers: to plain fetch, or as a generated client tells it. */
export interface Answer {
  readonly status: number;
  /** the body, parsed where it is JSON or YAML */
  readonly data: unknown;
}

/** What plain fetch gets. */
export interface PlainAnswer extends Answer {
  /** the media type as the document writes it; '' without a body */
  readonly type: string;
  /** whether the document gives the body a schema to be parsed by, rather than any value */
  readonly isTyped: boolean;
  readonly text: string;
}

type Content = Readonly<Record<string, { readonly schema?: object }>>;
interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; example?: string }[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly content?: Content }>> };
}

export const isJson = (type: string): boolean => /^application\/(?:.+\+)?json(?:;|$)/.test(type);
const isYaml = (type: string): boolean => type.startsWith('application/yaml');
const essenceOf = (type: string): string => type.split(';', 1)[0]!.trim();

/**
 * The given calls, and one call for each operation without any, of the document's examples.
 * @throws when a call names no operation, or an operation's parameter has neither value nor example
 */
export const describedCalls = (
  { paths, components }: OpenApiDocument,
  given: readonly ApiCall[],
): DescribedCall[] => {
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ template, method, ...operation })),
  );
  const unknown = given.filter((call) => !operations.some((one) => one.operationId === call.operationId));
  if (unknown.length > 0) throw new Error(`not in the document: ${JSON.stringify(unknown)}`);
  return operations.flatMap(({ template, method, operationId, tags, parameters = [], responses }) => {
    const calls = given.filter((call) => call.operationId === operationId);
    return (calls.length > 0 ? calls : [{ operationId }]).map((call: ApiCall, index) => {
      const required = parameters.filter((parameter) => parameter.required);
      const valueOf = ({ name, example }: (typeof required)[number]) => {
        const value = call.path?.[name] ?? call.query?.[name] ?? example;
        if (value === undefined) throw new Error(`${operationId} needs an example, or a call with ${name}`);
        return [name, value] as const;
      };
      const valuesIn = (place: string) =>
        Object.fromEntries(required.filter((parameter) => parameter.in === place).map(valueOf));
      const contentOf = ({ $ref, content }: { $ref?: string; content?: Content }) =>
        ($ref === undefined ? content : components.responses[$ref.split('/').at(-1)!]?.content) ?? {};
      const isParameter = (header: string) =>
        parameters.some(({ name, in: place }) => place === 'header' && name === header);
      const headersThat = (described: boolean) =>
        Object.fromEntries(
          Object.entries(call.headers ?? {}).filter(([name]) => isParameter(name) === described),
        );
      const query = { ...valuesIn('query'), ...call.query };
      return {
        ...call,
        name: call.name ?? (index === 0 ? operationId : `${operationId}${index + 1}`),
        method,
        template,
        tag: tags[0],
        path: valuesIn('path'),
        parameterHeaders: headersThat(true),
        headers: headersThat(false),
        takesQuery: parameters.some((parameter) => parameter.in === 'query'),
        ...(Object.keys(query).length > 0 && { query }),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [status, contentOf(response)]),
        ),
      };
    });
  });
};

/** The headers of a call, with that of its body. */
export const headersOf = (call: DescribedCall): Record<string, string> => ({
  ...(call.body !== undefined && { 'Content-Type': call.contentType ?? 'application/json' }),
  ...call.parameterHeaders,
  ...call.headers,
});

export const pathOf = ({ template, path, query }: DescribedCall): string => {
  const filled = template.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name]!));
  return query ? `${filled}?${new URLSearchParams(query)}` : filled;
};

const isUntyped = (schema: object): boolean =>
  !['type', '$ref', 'anyOf', 'enum'].some((key) => key in schema);

/**
 * Sends calls with plain fetch, one after the other.
 * @throws when an answer has a status or a media type that is not described
 */
export const sendCalls = async (
  serviceUrl: string,
  calls: readonly DescribedCall[],
): Promise<Map<string, PlainAnswer>> => {
  const answers = new Map<string, PlainAnswer>();
  for (const call of calls) {
    const response = await fetch(serviceUrl + pathOf(call), {
      method: call.method.toUpperCase(),
      headers: headersOf(call),
      redirect: 'manual',
      ...(call.body !== undefined && {
        body: call.contentType ? String(call.body) : JSON.stringify(call.body),
      }),
    });
    const { status } = response;
    const text = await response.text();
    const content = call.responses[status];
    const sent = essenceOf(response.headers.get('content-type') ?? '');
    const type = text === '' ? '' : Object.keys(content ?? {}).find((one) => essenceOf(one) === sent);
    if (content === undefined || type === undefined)
      throw new Error(`${call.name} is answered by an undescribed ${status} ${sent}: ${text.slice(0, 200)}`);
    const isTyped = type !== '' && !isUntyped(content[type]?.schema ?? {});
    const data = isJson(type) ? (JSON.parse(text) as unknown) : text;
    answers.set(call.name, { status, type, isTyped, text, data });
  }
  return answers;
};

const NEVER = /(?!)/;
/** In place of a value that no two answers share. */
const VARIES = Symbol('varies');
type Values = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** What two answers to the same request have in common. */
const common = (one: unknown, other: unknown): unknown => {
  if (isDeepStrictEqual(one, other)) return one;
  if (!isObject(one) || !isObject(other)) return typeof one === typeof other ? VARIES : undefined;
  if (!isDeepStrictEqual(Object.keys(one), Object.keys(other))) return VARIES;
  const shared = Object.fromEntries(Object.keys(one).map((key) => [key, common(one[key], other[key])]));
  return Array.isArray(one) ? Object.values(shared) : shared;
};

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Generated clients write times their own way, and some know no difference between null and a member left out. */
const canonical = (value: unknown): unknown => {
  if (typeof value === 'string' && TIME.test(value)) return new Date(value).toISOString();
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([key, member]) => [key, canonical(member)]),
  );
};

/** Where a client's value is not what is expected, by path; at most a few. */
const differences = (expected: unknown, actual: unknown, measured: RegExp, path = ''): string[] => {
  if (expected === VARIES) return actual === undefined ? [`${path} is missing`] : [];
  if (isObject(expected) && isObject(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return keys
      .flatMap((key) => differences(expected[key], actual[key], measured, `${path}/${key}`))
      .slice(0, 5);
  }
  const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 120);
  return Object.is(expected, actual) || (typeof actual === typeof expected && measured.test(path))
    ? []
    : [`${path || 'the body'}: ${shown(actual)}, not ${shown(expected)}`];
};

/**
 * Where a client's answers are not those of plain fetch; what changed between two plain requests may differ.
 * @param measured matches the paths of numbers that are measured for each answer, which may be the same twice by chance
 */
export const answerDifferences = (
  before: ReadonlyMap<string, PlainAnswer>,
  after: ReadonlyMap<string, PlainAnswer>,
  actual: Readonly<Record<string, Answer>>,
  measured = NEVER,
): string[] =>
  [...before].flatMap(([name, plain]) => {
    const answer = actual[name];
    if (!answer) return [`${name} was not called`];
    if (answer.status !== plain.status) return [`${name}: status ${answer.status}, not ${plain.status}`];
    if (plain.type === '') return [];
    const parsed = isYaml(plain.type) && isObject(answer.data);
    const [one, other] = [plain, after.get(name)!].map(({ data, text }) =>
      canonical(parsed ? parseYaml(text) : data),
    );
    return differences(common(one, other), canonical(answer.data), measured).map(
      (found) => `${name}: ${found}`,
    );
  });
