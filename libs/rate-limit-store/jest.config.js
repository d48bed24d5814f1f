import { jestConfig } from '../../jest.preset.js';

export default jestConfig('rate-limit-store');
