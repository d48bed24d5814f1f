import { fastify } from 'fastify';
import { nextId, schema, sendAccepted } from './accepted.ts';
import { openLog } from './open-log.ts';
import { ready } from './ready.ts';

// The least that an accepted submission takes: bare Fastify appends the body as it came, without a look at it and without a
// header, and gives the answer of the service when the batch is acknowledged.
const log = await openLog();
const app = fastify();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
app.post('/operations', { schema }, (request, reply) => {
  const id = nextId();
  log.append(
    { key: id, value: request.body as Buffer, headers: {} },
    {
      settled: (outcome) => {
        if (outcome.outcome !== 'accepted') throw new Error(outcome.reason);
        sendAccepted(reply, id, outcome.offset);
      },
    },
    10_000,
  );
});
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);
