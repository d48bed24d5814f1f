import type { FastifyReply } from 'fastify';

const text = { type: 'string' };
const integer = { type: 'integer' };
/** With a schema, as anyone would who wants the speed. */
export const schema = {
  response: {
    202: {
      type: 'object',
      properties: {
        message: text,
        submissionId: text,
        operations: integer,
        topic: text,
        partition: integer,
        offset: integer,
        statusUrl: text,
      },
    },
  },
};

/** Gives the answer that the service gives to a submission of three operations: the same headers, and a body as long. */
export const sendAccepted = (reply: FastifyReply, submissionId: string, offset: number): void => {
  const statusUrl = `/operations/${submissionId}`;
  void reply.code(202).header('location', statusUrl).header('x-request-id', reply.request.id).send({
    message: '3 operations accepted',
    submissionId,
    operations: 3,
    topic: 'operations',
    partition: 0,
    offset,
    statusUrl,
  });
};

let count = 0;
/** A number, as long as a UUID. */
export const nextId = (): string => String((count += 1)).padStart(36, '0');
