import { jestConfig } from '../jest.preset.js';

// helm/ is a project of its own.
export default jestConfig('docker', { testMatch: ['<rootDir>/test/**/*.test.ts'] });
