import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('documentation e2e');
