import type { IncomingMessage } from 'node:http';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';

/** Headers that records have besides what all of them have. */
export interface RecordHeaders {
  /** as AsyncAPI describes them */
  readonly headers: Readonly<Record<string, TSchema>>;
  /** those of the record that is the example */
  readonly exampleHeaders: Readonly<Record<string, string>>;
  /** Notes when the last byte arrives; called before anything waits. */
  arrives(request: IncomingMessage): void;
  /** @param bytes of the body, uncompressed; undefined: nothing is said of them */
  of(request: FastifyRequest, bytes: Buffer | undefined): Readonly<Record<string, string>>;
}
