import { e2eConfig } from '../../../jest.preset.js';

export default e2eConfig('release-cli e2e');
