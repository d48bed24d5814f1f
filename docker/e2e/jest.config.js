import { e2eConfig } from '../../jest.preset.js';

export default { ...e2eConfig('docker e2e'), globalSetup: '<rootDir>/support/build-images.ts' };
