import type { FastifyRequest } from 'fastify';
import {
  type ApiKey as Key,
  type ApiKeys as Keys,
  bearerToken,
  digestOfToken,
  ProblemError,
} from '@workspace/service-kit';
import type { Precision } from '../domain/precision.ts';
import { problems } from '../problems.ts';

/** A key, and perhaps its own precision. */
export type ApiKey = Key<Precision>;
export type ApiKeys = Keys<Precision>;

export interface ApiKeySettings {
  /** the keys that are valid now */
  readonly keys: () => ApiKeys;
  /** whether there is no lookup without a key */
  readonly required: boolean;
}

/** As OpenAPI writes them: three ways to send a key, as ipapi.co takes them. */
export const API_KEY_SCHEMES = {
  keyParameter: { type: 'apiKey', in: 'query', name: 'key' },
  keyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  bearer: { type: 'http', scheme: 'bearer', description: 'the API key as a bearer token' },
} as const;

/**
 * The API key of a request; undefined when it has none and needs none. Keys are found by their digest: how long that takes
 * says nothing about a key.
 * @throws ProblemError 403 for an unknown key, 401 for a missing one
 */
export const createApiKeyOf =
  ({ keys, required }: ApiKeySettings) =>
  (request: FastifyRequest): ApiKey | undefined => {
    const secret = secretOf(request);
    if (secret === undefined) {
      if (!required) return undefined;
      throw new ProblemError(problems['key-required'], {
        detail: 'Send your API key as ?key=, in the header X-API-Key, or as a bearer token.',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    const key = keys().get(digestOfToken(secret).toString('hex'));
    if (key) return key;
    throw new ProblemError(problems['invalid-key'], { detail: 'Unknown API key.' });
  };

/** The precision of the answer to a request, once the request has been charged. */
export type PrecisionOf = (request: FastifyRequest) => Precision;

/** Whether some key has a precision of its own: then one URL has several answers. */
export const createPrecisionsVary = ({ keys }: ApiKeySettings): (() => boolean) => {
  let known: ApiKeys | undefined;
  let vary = false;
  return () => {
    const current = keys();
    if (current !== known) vary = [...current.values()].some(({ option }) => option !== undefined);
    known = current;
    return vary;
  };
};

/** A header goes before the parameter: a client that sends both has its key in the header, and perhaps a leftover in its URL. */
const secretOf = ({ headers, query }: FastifyRequest): string | undefined => {
  const header = headers['x-api-key'] ?? bearerToken(headers.authorization);
  if (header !== undefined) return String(header);
  const key = keyParameter(query);
  return key === undefined ? undefined : String(key);
};

/**
 * The parameter `key` of a query, which no schema types: every route may have a key. Undefined when it is missing or
 * empty; an array, which is no key, when it comes twice.
 */
export const keyParameter = (query: unknown): unknown => {
  const key = isObject(query) && 'key' in query ? query.key : undefined;
  return key === '' ? undefined : key;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
