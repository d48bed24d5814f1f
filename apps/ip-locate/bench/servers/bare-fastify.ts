// What any Fastify service pays: routing, a compiled serializer, eight constant fields.
import { fastify } from 'fastify';
import { record, recordSchema } from './record.ts';

const app = fastify();
app.get('/:ip/json', { schema: { response: { 200: recordSchema } } }, () => record);
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
