import { describeWith, SCHEMATHESIS_TIMEOUT_MS, schemathesisReport } from '@workspace/testing';
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
      const options = [
        // A schema cannot say that an address is reserved, or that a name is not a field.
        '--exclude-checks=positive_data_acceptance',
        // Most of the addresses it generates are reserved.
        '--warnings=off',
        '--header=X-Forwarded-For: 8.8.8.8',
      ];
      expect(await schemathesisReport(service.url, __dirname, 50, ...options)).toMatch(/No issues found/);
    },
    SCHEMATHESIS_TIMEOUT_MS,
  );
});
