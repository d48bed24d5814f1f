// The service as one writes it in ten minutes: geoip2-node as its README shows it.
import { Reader } from '@maxmind/geoip2-node';
import { fastify } from 'fastify';

const reader = await Reader.open(process.argv[2] as string);
const app = fastify();
app.get<{ Params: { ip: string } }>('/:ip/json', ({ params: { ip } }) => {
  const found = reader.city(ip);
  return {
    ip,
    city: found.city?.names.en ?? null,
    region: found.subdivisions?.[0]?.names.en ?? null,
    country: found.country?.isoCode ?? null,
    postal: found.postal?.code ?? null,
    latitude: found.location?.latitude ?? null,
    longitude: found.location?.longitude ?? null,
    timezone: found.location?.timeZone ?? null,
  };
});
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
