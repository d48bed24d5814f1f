import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import { describeWith, SCHEMATHESIS_TIMEOUT_MS, schemathesisReport } from '@workspace/testing';
import { untilHealth } from './support/health.ts';
import { killServices, startService } from './support/service.ts';

describeWith(['python3'], 'the description of the API', () => {
  describeWithKafka('with Kafka there', () => {
    let broker: StandaloneBroker;
    beforeAll(async () => {
      broker = await startBroker();
    });
    afterEach(killServices);
    afterAll(() => broker.stop());

    it(
      'is what schemathesis finds the service to do',
      async () => {
        const service = await startService({ KAFKA_BOOTSTRAP_SERVERS: broker.bootstrapServers });
        await untilHealth(service.url, 200);
        // A schema cannot say how a number is written, 1e-7 and 1.0 fit it and are rejected; nor that a key was used before.
        const options = ['--checks=all', '--exclude-checks=positive_data_acceptance'];
        expect(await schemathesisReport(service.url, import.meta.dirname, 50, ...options)).toMatch(
          /No issues found/,
        );
        expect(await service.stop()).toBe(0);
      },
      SCHEMATHESIS_TIMEOUT_MS,
    );
  });
});
