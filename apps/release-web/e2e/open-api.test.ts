import { startService } from './service.ts';
import { describeWith, SCHEMATHESIS_TIMEOUT_MS, schemathesisReport } from '@workspace/testing';

describeWith(['python3'], 'the description of the API', () => {
  it.each([
    ['records', 25],
    ['keyed', 5],
  ])(
    'is what schemathesis finds the service to do, with PRE_RELEASE_SHAPE=%s',
    async (shape, examples) => {
      const service = await startService({ PRE_RELEASE_SHAPE: shape, LOG_LEVEL: 'info' });
      try {
        expect(await schemathesisReport(service.url, import.meta.dirname, examples, '--checks=all')).toMatch(
          /No issues found/,
        );
      } finally {
        await service.stop();
      }
    },
    SCHEMATHESIS_TIMEOUT_MS,
  );
});
