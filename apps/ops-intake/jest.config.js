import { jestConfig } from '../../jest.preset.js';

// The tests on real stores wait more than they compute.
export default jestConfig('ops-intake', { maxWorkers: 3 });
