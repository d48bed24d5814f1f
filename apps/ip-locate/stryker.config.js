import { mutationTests } from '../../libs/testing/mutation.js';

export default mutationTests({
  name: 'ip-locate',
  folder: 'apps/ip-locate',
  mutate: ['src/domain/**/*.ts'],
  tests: ['src/domain/*.test.ts', 'src/features/**/*.test.ts', 'test/{contract,further-databases}.test.ts'],
  sandbox: ['docker'],
});
