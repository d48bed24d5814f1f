import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('service-process e2e');
