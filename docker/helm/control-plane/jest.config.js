import { jestConfig } from '../../../jest.preset.js';

// The first run builds kube-apiserver.
export default jestConfig('control plane', { testTimeout: 3_600_000 });
