// What Fastify can do here at most: the same bodies, nothing else.
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const bodies = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const buffers = Object.fromEntries(Object.entries(bodies).map(([url, body]) => [url, Buffer.from(body)]));
const app = fastify();
for (const path of new Set(Object.keys(bodies).map((url) => url.split('?')[0]))) {
  app.get(path, (request, reply) => reply.type('application/json').send(buffers[request.url]));
}
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.on('SIGTERM', () => process.exit(0));
