import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('kafka-producer e2e');
