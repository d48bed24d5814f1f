import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('testing e2e');
