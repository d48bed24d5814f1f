import { mutationTests } from '../../libs/workspace/mutation.js';

export default mutationTests({
  name: 'ops-intake',
  folder: 'apps/ops-intake',
  mutate: ['src/application/*.ts'],
});
