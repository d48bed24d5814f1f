import { jestConfig } from '../../jest.preset.js';

// The tests on real stores wait more than they compute.
export default jestConfig('ops-intake', {
  maxWorkers: 3,
  slowest: ['redis-groups', 'postgres-store', 'redis-sentinel', 'redis-durability', 'redis-store'],
});
