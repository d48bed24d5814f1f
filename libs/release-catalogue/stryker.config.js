import { mutationTests } from '../testing/mutation.js';

export default mutationTests({
  name: 'release-catalogue',
  folder: 'libs/release-catalogue',
  mutate: ['src/{edits,facts,rules}/*.ts'],
});
