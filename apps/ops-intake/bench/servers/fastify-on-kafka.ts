import { fastify } from 'fastify';
import { openLog } from './open-log.ts';
import { ready } from './ready.ts';

// The least that an accepted submission takes: bare Fastify appends the body as it came, without a look at it and without a
// header, and answers when the batch is acknowledged.
const log = await openLog();
const app = fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
app.post('/operations', (request, reply) => {
  log.append(
    { key: '', value: request.body as Buffer, headers: {} },
    { settled: () => void reply.code(202).send({ message: 'accepted' }) },
    10_000,
  );
});
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);
