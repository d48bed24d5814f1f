import { mutationTests } from '../testing/mutation.js';

export default mutationTests({
  name: 'kafka-producer',
  folder: 'libs/kafka-producer',
  mutate: ['src/**/*.ts'],
});
