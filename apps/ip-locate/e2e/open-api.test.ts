import { join } from 'node:path';
import {
  describeWith,
  runTool,
  SCHEMATHESIS_TIMEOUT_MS,
  schemathesisEffort,
  schemathesisProgram,
} from '@workspace/testing';
import { type RunningService, startService } from './service.ts';

describeWith(['python3'], 'the description of the API', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ TRUST_PROXY: 'loopback' });
  });
  afterAll(() => service.stop());

  it(
    'is what schemathesis finds the service to do',
    async () => {
      const report = await runTool(await schemathesisProgram(), [
        `--config-file=${join(__dirname, 'schemathesis.toml')}`,
        'run',
        `${service.url}/openapi.json`,
        `--url=${service.url}`,
        // A schema cannot say that an address is reserved, or that a name is not a field.
        '--exclude-checks=positive_data_acceptance',
        // Most of the addresses it generates are reserved.
        '--warnings=off',
        '--header=X-Forwarded-For: 8.8.8.8',
        ...schemathesisEffort(50),
        '--no-color',
      ]);
      expect(report).toMatch(/No issues found/);
    },
    SCHEMATHESIS_TIMEOUT_MS,
  );
});
