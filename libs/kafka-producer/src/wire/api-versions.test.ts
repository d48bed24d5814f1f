import { type ApiName, type ApiVersions, APIS, versionOf } from './api-versions.ts';

const versions = (ranges: readonly (readonly [key: number, minVersion: number, maxVersion: number])[]) =>
  Object.fromEntries(
    ranges.map(([key, minVersion, maxVersion]) => [key, { minVersion, maxVersion }]),
  ) as ApiVersions;

/** Managed services answer for Kafka with versions of their own. DescribeQuorum is optional. */
it.each([
  [
    'Azure Event Hubs',
    versions([
      [0, 0, 7],
      [1, 4, 6],
      [2, 0, 8],
      [3, 0, 5],
      [17, 0, 1],
      [19, 0, 4],
      [22, 0, 1],
      [32, 0, 2],
      [36, 0, 1],
    ]),
  ],
])('%s has a version of each request', (broker, spoken) => {
  for (const api of Object.keys(APIS) as ApiName[])
    if (api !== 'DescribeQuorum') expect(versionOf(api, spoken, broker)).toBeGreaterThanOrEqual(0);
});
