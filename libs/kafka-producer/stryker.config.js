import { mutationTests } from '../workspace/mutation.js';

export default mutationTests({
  name: 'kafka-producer',
  folder: 'libs/kafka-producer',
  mutate: ['src/**/*.ts'],
});
