import { fastify } from 'fastify';
import { ready } from './ready.ts';

// The ceiling of the framework: parses JSON its own way, answers 202.
const app = fastify();
app.post('/operations', async (_request, reply) => reply.code(202).send({ message: 'accepted' }));
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);
