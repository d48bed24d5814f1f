import { setTimeout as sleep } from 'node:timers/promises';
import { httpText, RequestFailed } from '@workspace/http-client';
import type { Logger } from '@workspace/logging';

export interface SchemaRegistryOptions {
  url: string;
  login?: { username: string; password: string } | undefined;
  /** whether a schema that is not there is registered; otherwise it has to be there */
  register: boolean;
  /** milliseconds to wait for a registry that does not answer */
  waitMs: number;
  logger: Logger;
}

/** A JSON Schema and where it belongs. */
export interface SubjectSchema {
  subject: string;
  schema: object;
  /** what to use when the registry does not answer in time */
  fallbackId?: number | undefined;
}

/** The registry rejected the schema, or did not answer in time; the message has its words. */
export class SchemaNotRegistered extends Error {
  override readonly name = 'SchemaNotRegistered';
}

const MEDIA_TYPE = 'application/vnd.schemaregistry.v1+json';
const RETRY_MS = 500;
/** One request that hangs leaves time for another. */
const REQUEST_MS = 10_000;
/** Longer than any registry's words: some repeat both schemas. */
const ANSWER_BYTES = 4 * 1024 * 1024;

/** Whether the same request may be answered otherwise soon. */
const isPassing = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/**
 * The ids of JSON Schemas in a registry with Confluent's API, registered or looked up under their subjects, one after the other.
 * The registry is not asked again: an id never changes.
 * @throws SchemaNotRegistered
 */
export const idsOfSchemas = async (
  schemas: readonly SubjectSchema[],
  options: SchemaRegistryOptions,
): Promise<number[]> => {
  const deadline = performance.now() + options.waitMs;
  const ids: number[] = [];
  for (const schema of schemas) ids.push(await idOfSchema(schema, options, deadline));
  return ids;
};

const idOfSchema = async (
  { subject, schema, fallbackId }: SubjectSchema,
  options: SchemaRegistryOptions,
  deadline: number,
): Promise<number> => {
  const { waitMs, logger } = options;
  for (let isFirst = true; ; isFirst = false) {
    const result = await ask(subject, schema, options, deadline - performance.now());
    if (typeof result === 'number') {
      logger.info({ subject, schemaId: result }, 'schema registered');
      return result;
    }
    if (performance.now() + RETRY_MS > deadline) {
      if (fallbackId === undefined) throw new SchemaNotRegistered(`no answer within ${waitMs} ms: ${result}`);
      const reason = { subject, schemaId: fallbackId, reason: result };
      logger.warn(reason, 'schema registry unavailable; using the id of SCHEMA_REGISTRY_FALLBACK_IDS');
      return fallbackId;
    }
    if (isFirst) logger.warn({ subject, reason: result }, 'waiting for the schema registry');
    await sleep(RETRY_MS);
  }
};

/** @returns the id, or why there was no answer */
const ask = async (
  subject: string,
  schema: object,
  { url, login, register }: SchemaRegistryOptions,
  leftMs: number,
): Promise<number | string> => {
  const path = `subjects/${encodeURIComponent(subject)}${register ? '/versions' : ''}`;
  const credentials = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
  const request = {
    headers: {
      'content-type': MEDIA_TYPE,
      accept: MEDIA_TYPE,
      ...(credentials !== undefined && { authorization: `Basic ${credentials}` }),
    },
    body: JSON.stringify({ schemaType: 'JSON', schema: JSON.stringify(schema) }),
    maxBytes: ANSWER_BYTES,
    timeoutMs: Math.ceil(Math.max(1, Math.min(leftMs, REQUEST_MS))),
  };
  let status: number;
  let text: string;
  try {
    ({ status, text } = await httpText(`${url.replace(/\/+$/, '')}/${path}`, request));
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    if (error.mayPass) return error.message;
    throw new SchemaNotRegistered(`subject ${subject}: ${error.message}`, { cause: error });
  }
  if (isPassing(status)) return wordsOf(status, text);
  if (status !== 200) throw new SchemaNotRegistered(`subject ${subject}: ${wordsOf(status, text)}`);
  const id = idIn(text);
  if (id === undefined) throw new SchemaNotRegistered(`subject ${subject}: the answer has no id`);
  return id;
};

/** The registry's own words, or else its status. */
const wordsOf = (status: number, text: string): string => {
  try {
    const { message, error_code: code } = JSON.parse(text) as { message?: unknown; error_code?: unknown };
    if (typeof message === 'string') return `${message} (${String(code ?? status)})`;
  } catch {
    // Not the registry: a proxy, perhaps.
  }
  return `HTTP status ${status}`;
};

const idIn = (text: string): number | undefined => {
  try {
    const { id } = JSON.parse(text) as { id?: unknown };
    return Number.isInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 32
      ? (id as number)
      : undefined;
  } catch {
    return undefined;
  }
};
