import type { FastifyReply, FastifyRequest } from 'fastify';
import { EVENT_STREAM_HEADERS, type EventStream } from './event-stream.ts';
import { CONSOLE_SCRIPT } from './console-script.ts';
import { CONSOLE_STYLE } from './console-style.ts';

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const asset = (type: string, body: string) => ({
  schema: { hide: true },
  handler: (_request: FastifyRequest, reply: FastifyReply) => reply.headers(HEADERS).type(type).send(body),
});

/** GET /: the operator's console. */
export const consolePageRoute = (page: string) => asset('text/html; charset=utf-8', page);
export const consoleStyleRoute = asset('text/css; charset=utf-8', CONSOLE_STYLE);
export const consoleScriptRoute = asset('text/javascript; charset=utf-8', CONSOLE_SCRIPT);

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
