import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('ops-intake e2e', {
  atOnce: 3,
  slowest: [
    'faults',
    'idempotency-store',
    'key-store-failover',
    'postgres-store',
    'simulation',
    'redis-groups',
  ],
});
