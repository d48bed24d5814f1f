import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('rate-limit-store e2e');
