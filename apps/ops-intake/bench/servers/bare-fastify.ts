import { fastify } from 'fastify';
import { nextId, schema, sendAccepted } from './accepted.ts';
import { ready } from './ready.ts';

// The ceiling of the framework: parses JSON its own way, gives the answer of the service.
const app = fastify();
app.post('/operations', { schema }, (_request, reply) => sendAccepted(reply, nextId(), 0));
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);
