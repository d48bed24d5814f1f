import { join } from 'node:path';
import { describeWithKafka, startBroker, type StandaloneBroker } from '@workspace/kafka-broker';
import {
  describeWith,
  runTool,
  SCHEMATHESIS_TIMEOUT_MS,
  schemathesisEffort,
  schemathesisProgram,
} from '@workspace/testing';
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
        const report = await runTool(await schemathesisProgram(), [
          `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`,
          'run',
          `${service.url}/openapi.json`,
          `--url=${service.url}`,
          '--checks=all',
          // A schema cannot say how a number is written, 1e-7 and 1.0 fit it and are rejected; nor that a key was used before.
          '--exclude-checks=positive_data_acceptance',
          ...schemathesisEffort(50),
          '--no-color',
        ]);
        expect(report).toMatch(/No issues found/);
        expect(await service.stop()).toBe(0);
      },
      SCHEMATHESIS_TIMEOUT_MS,
    );
  });
});
