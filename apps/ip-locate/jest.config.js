import { jestConfig } from '../../jest.preset.js';

// With one worker they are the last to end, and a core is idle.
export default jestConfig('ip-locate', { maxWorkers: 2 });
