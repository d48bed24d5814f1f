import type { TObject, TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Service } from '@workspace/service-kit';

/** A path and everything its users should know; registered and documented from the same words. */
export interface Operation {
  /** as Fastify writes it: `/api/v1/branches/:branch` */
  readonly path: string;
  /** other paths with the same answers; not documented */
  readonly aliases?: readonly string[];
  readonly id: string;
  readonly tag: 'contract' | 'php.net' | 'api' | 'service';
  readonly summary: string;
  readonly params?: TObject;
  /** judges the query, unless the handler does */
  readonly query?: TObject;
  /** php.net's parameters are judged by the handler: it has rules a schema cannot say */
  readonly handlerJudgesQuery?: boolean;
  /** schema by media type of the 200 */
  readonly answers: Readonly<Record<string, TSchema>>;
}

/** Registers operations and remembers them for the API's description. */
export class Operations {
  readonly all: Operation[] = [];
  readonly #app: Service;

  constructor(app: Service) {
    this.#app = app;
  }

  get(operation: Operation, handler: (request: FastifyRequest, reply: FastifyReply) => unknown): void {
    this.all.push(operation);
    const { path, aliases = [], params, query, handlerJudgesQuery = false } = operation;
    const schema = { ...(params && { params }), ...(query && !handlerJudgesQuery && { querystring: query }) };
    for (const url of [path, ...aliases]) this.#app.route({ method: 'GET', url, schema, handler });
  }
}
