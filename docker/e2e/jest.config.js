import { e2eConfig } from '../../jest.preset.js';

export default {
  ...e2eConfig('docker e2e', { atOnce: 2, slowest: ['cluster', 'images', 'proxy', 'single', 'runbooks'] }),
  globalSetup: '<rootDir>/support/build-images.ts',
};
