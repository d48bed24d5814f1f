// What any Fastify service pays: routing, a compiled serializer, eight constant fields.
import { fastify } from 'fastify';
import { record } from './record.ts';

const nullable = (type: string) => ({ type: [type, 'null'] });
const properties = {
  ip: { type: 'string' },
  city: nullable('string'),
  region: nullable('string'),
  country: nullable('string'),
  postal: nullable('string'),
  latitude: nullable('number'),
  longitude: nullable('number'),
  timezone: nullable('string'),
};
const app = fastify();
app.get('/:ip/json', { schema: { response: { 200: { type: 'object', properties } } } }, () => record);
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
