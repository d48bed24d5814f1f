/** The answer of the bare servers: as long as a real one, without any work. */
export const record = {
  ip: '8.8.8.8',
  city: 'Mountain View',
  region: 'California',
  country: 'US',
  postal: null,
  latitude: 37.422,
  longitude: -122.085,
  timezone: 'America/Los_Angeles',
};

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

/** Its schema, for the servers that compile a serializer. */
export const recordSchema = { type: 'object', properties };
