// Bare Fastify with the headers that ip-locate sends: what an answer of its length costs without any work.
import { fastify } from 'fastify';
import { record, recordSchema } from './record.ts';

const headers = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=3600',
  'x-database-date': '2026-06-05',
  link: '<https://db-ip.com>; rel="license"',
  etag: 'W/"2Qq3Wg8KzR5T-json"',
  'content-type': 'application/json',
};
const app = fastify();
app.get('/:ip/json', { schema: { response: { 200: recordSchema } } }, (_request, reply) =>
  reply.headers(headers).send(record),
);
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
