// A bare Fastify that gives every request the same response, of which ANSWER is the JSON.
import Fastify from 'fastify';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const { status, headers, body } = JSON.parse(process.env['ANSWER'] ?? '') as Answer;
const app = Fastify();
app.route({
  method: ['GET', 'POST'],
  url: '*',
  handler: (_request, reply) => reply.code(status).headers(headers).send(body),
});
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
