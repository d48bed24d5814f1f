import { mutationTests } from '../../libs/testing/mutation.js';

export default mutationTests({
  name: 'release-web',
  folder: 'apps/release-web',
  mutate: ['src/domain/*.ts'],
  tests: [
    'src/domain/*.test.ts',
    'src/{http,features}/**/*.test.ts',
    'test/{api,changes,contract,future,release-pages,security-releases,stale-data,withdrawn-releases,yanked}.test.ts',
  ],
});
