// What starting Node and Fastify costs: nothing else is loaded.
import { fastify } from 'fastify';

const app = fastify();
app.get('/', () => ({ hello: 'world' }));
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
