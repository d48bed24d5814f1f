/** What the bare servers answer: as many bytes as a real answer has, and no work. */
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
