import { sample } from 'openapi-sampler';
import { type ExampleRequest, requestPrograms } from './request-programs.ts';
import type { Media, OpenApi, Parameter, PathOperation, Schema } from './open-api.ts';

/** Stands for the address of the service, which only the browser knows: the script of the page puts it in. */
export const BASE_URL = 'https://service.example';

/** A value as a request has it: text as it is, all else as JSON. */
const written = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

const sampleOf = (schema: Schema, document: OpenApi): unknown =>
  schema.examples?.[0] ?? sample(schema as object, { quiet: true }, document);

/** What the document gives as an example of a parameter; empty when it gives none. */
export const parameterExample = ({ example, schema }: Parameter): string =>
  written(example ?? schema.default ?? schema.examples?.[0] ?? '');

/** A body of this media type; undefined for text of which no example is known. */
export const bodyExample = (
  mediaType: string,
  { example, examples, schema }: Media,
  document: OpenApi,
): string | undefined => {
  const value = example ?? Object.values(examples ?? {})[0]?.value;
  if (value !== undefined) return written(value);
  if (!schema || (!/\bjson$/.test(mediaType) && !schema.examples)) return undefined;
  if (schema.type === 'object' && !schema.properties && !schema.additionalProperties) return undefined;
  return written(sampleOf(schema, document));
};

/** Programs that send the request with what it has to have, by language. */
export const requestExamples = (
  operation: PathOperation,
  document: OpenApi,
): Readonly<Record<string, string>> => {
  const { method, path, parameters = [], requestBody } = operation;
  const required = parameters
    .filter((parameter) => parameter.required)
    .map((parameter) => ({
      ...parameter,
      value: parameterExample(parameter) || written(sampleOf(parameter.schema, document)),
    }));
  const [[mediaType, media] = []] = Object.entries(requestBody?.content ?? {});
  const body = mediaType && media && bodyExample(mediaType, media, document);
  const fields = [
    ...required.map(({ name, in: where, value }) => ({ name, where, value })),
    ...credentialsOf(operation, document)
      .slice(0, 1)
      .map(({ name, where, prefix }) => ({ name, where, value: `${prefix}YOUR_KEY` })),
    ...(body ? [{ name: 'Content-Type', where: 'header', value: mediaType }] : []),
  ];
  const valuesIn = (wanted: string): [string, string][] =>
    fields.filter(({ where }) => where === wanted).map(({ name, value }) => [name, value]);
  const inPath = new Map(valuesIn('path'));
  const query = new URLSearchParams(valuesIn('query')).toString();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(inPath.get(name) ?? name),
  );
  const request: ExampleRequest = {
    method,
    url: BASE_URL + filled + (query && `?${query}`),
    headers: valuesIn('header'),
    ...(body && { body }),
  };
  return requestPrograms(request);
};

/** Where a client puts what authenticates it. */
export interface Credential {
  readonly name: string;
  readonly where: string;
  readonly prefix: string;
}

/** Each way to authenticate for an operation. */
export const credentialsOf = (
  { security = [] }: Pick<PathOperation, 'security'>,
  { components }: Pick<OpenApi, 'components'>,
): Credential[] => {
  const names = new Set(security.flatMap((requirement) => Object.keys(requirement)));
  const credentials = [...names].flatMap((name): Credential[] => {
    const scheme = components?.securitySchemes?.[name];
    // A client certificate is shown below HTTP.
    if (!scheme || scheme.type === 'mutualTLS') return [];
    if (scheme.type === 'http') return [{ name: 'Authorization', where: 'header', prefix: 'Bearer ' }];
    return [{ name: scheme.name ?? name, where: scheme.in ?? 'header', prefix: '' }];
  });
  // Tokens of two kinds are sent in one header.
  return [...new Map(credentials.map((one) => [one.name, one])).values()];
};
