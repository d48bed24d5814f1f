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
