import type { FastifyRequest } from 'fastify';
import { type ApiKeys, bearerToken, digestOfToken } from '@workspace/service-kit/access-tokens';
import { ProblemError } from '@workspace/service-kit/problems';
import type { ApiKeyAccess } from '../../http/rate-limit.ts';
import { problems } from './problems.ts';

export interface ApiKeySettings {
  /** the keys that are valid now */
  readonly keys: () => ApiKeys;
  /** whether there is no lookup without a key */
  readonly required: boolean;
}

/** Three ways to send a key, as ipapi.co takes them. */
const SCHEMES = {
  keyParameter: { type: 'apiKey', in: 'query', name: 'key' },
  keyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  bearer: { type: 'http', scheme: 'bearer', description: 'the API key as a bearer token' },
} as const;

/** Keys are found by their digest: how long that takes says nothing about a key. */
export const createApiKeyAccess = ({ keys, required }: ApiKeySettings): ApiKeyAccess => {
  let known: ApiKeys | undefined;
  let vary = false;
  return {
    required,
    schemes: SCHEMES,
    problems: [...(required ? [problems['key-required']] : []), problems['invalid-key']],
    keyOf: (request) => {
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
    },
    inQuery: (query) => {
      const key = keyParameter(query);
      return typeof key === 'string' ? key : undefined;
    },
    // Whether some key has a precision of its own: then one URL has several answers.
    answersVary: () => {
      const current = keys();
      if (current !== known) vary = [...current.values()].some(({ option }) => option !== undefined);
      known = current;
      return vary;
    },
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
const keyParameter = (query: unknown): unknown => {
  const { key } = (query ?? {}) as { key?: unknown };
  return key === '' ? undefined : key;
};
