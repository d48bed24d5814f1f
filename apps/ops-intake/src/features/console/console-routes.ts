import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmissionOptions } from '../../http/admission/admission.ts';
import { idempotencyKey } from '../../http/submit/submission-headers.ts';
import { submissionIdOf } from '../../domain/submission-id.ts';
import { problems } from '../../problems.ts';
import { CONSOLE_POLICY } from './console-page.ts';
import { EVENT_STREAM_HEADERS, type EventStream } from './event-stream.ts';

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': CONSOLE_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** GET /: the operator's console, with the history so far. */
export const consolePageRoute = (page: () => Promise<string>) => ({
  schema: { hide: true },
  handler: async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .headers(HEADERS)
      .type('text/html; charset=utf-8')
      .send(await page()),
});

/** GET /console/events: the state of the service as server-sent events. */
export const consoleEventsRoute = (events: EventStream) => ({
  schema: { hide: true },
  handler: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Fastify calls it for HEAD, too; the answer to that has no body and so takes no stream.
    if (request.method === 'HEAD') return void reply.headers(EVENT_STREAM_HEADERS).send();
    reply.hijack();
    await events.open(reply.raw);
  },
});

/** GET /console/submission: leads to what became of a submission, by its id or by the Idempotency-Key of who asks. */
export const findSubmissionRoute = ({ authentication }: Pick<AdmissionOptions, 'authentication'>) => ({
  schema: {
    hide: true,
    problems: authentication ? [problems.unauthorized, ...authentication.problems] : [],
    querystring: Type.Object({ id: Type.Optional(Type.String()), key: Type.Optional(Type.String()) }),
  },
  onRequest: authentication ? [authentication.hook] : [],
  handler: (
    request: FastifyRequest<{ Querystring: { id?: string; key?: string } }>,
    reply: FastifyReply,
  ): FastifyReply => {
    const { id = '', key = '' } = request.query;
    const principal = authentication?.identityOf(request.raw)?.principal;
    const found = id.trim() || (key && submissionIdOf(idempotencyKey(key.trim()) ?? key, principal));
    const location = found === '' ? '../' : `../operations/${encodeURIComponent(found)}`;
    return reply.header('cache-control', 'no-store').redirect(location, 303);
  },
});
