/** What `npm start` runs: the three services, the port each takes when PORT is not set, and one request worth trying. */
export const services = [
  {
    name: 'ops-intake',
    port: 3000,
    curl: (url: string) =>
      `curl -H 'content-type: application/json' -d '[{"operation":"buy","unit-cost":10.00,"quantity":100}]' ${url}/operations`,
  },
  { name: 'release-web', port: 3001, curl: (url: string) => `curl ${url}/releases/branches.php` },
  { name: 'ip-locate', port: 3002, curl: (url: string) => `curl ${url}/8.8.8.8/json/` },
] as const;

export type ServiceEntry = (typeof services)[number];
