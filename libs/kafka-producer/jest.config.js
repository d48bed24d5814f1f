import { jestConfig } from '../../jest.preset.js';

// They wait more than they compute.
export default jestConfig('kafka-producer', { maxWorkers: 2, slowest: ['record-search', 'producer'] });
