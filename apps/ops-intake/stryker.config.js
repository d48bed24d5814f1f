import { mutationTests } from '../../libs/testing/mutation.js';

export default mutationTests({
  name: 'ops-intake',
  folder: 'apps/ops-intake',
  mutate: ['src/{application,domain}/*.ts'],
});
