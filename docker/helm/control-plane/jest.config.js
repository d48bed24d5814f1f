import { jestConfig } from '../../../jest.preset.js';

// eslint-disable-next-line no-restricted-syntax -- The first run builds kube-apiserver.
export default jestConfig('control plane', { testTimeout: 3_600_000 });
