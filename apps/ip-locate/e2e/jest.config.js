import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('ip-locate e2e');
