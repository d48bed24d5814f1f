import { kafkaAvailable } from './availability.ts';

/** `describe` where Kafka can be started; elsewhere the suite is skipped, saying why, and fails in CI. */
export const describeWithKafka = (name: string, suite: () => void): void => {
  const availability = kafkaAvailable();
  if (availability.ok) return describe(name, suite);
  const reason = `needs Kafka: ${availability.missing}`;
  if (process.env['CI']) return describe(name, () => it(reason, () => expect(availability.missing).toBe('')));
  console.warn(`${name} skipped: ${reason}`);
  describe.skip(`${name} (${reason})`, suite);
};
