import { join } from 'node:path';
import { startService } from './service.ts';
import {
  describeWith,
  runTool,
  SCHEMATHESIS_TIMEOUT_MS,
  schemathesisEffort,
  schemathesisProgram,
} from '@workspace/testing';

describeWith(['python3'], 'the description of the API', () => {
  it.each([
    ['records', 25],
    ['keyed', 5],
  ])(
    'is what schemathesis finds the service to do, with PRE_RELEASE_SHAPE=%s',
    async (shape, examples) => {
      const service = await startService({ PRE_RELEASE_SHAPE: shape, LOG_LEVEL: 'info' });
      try {
        const report = await runTool(await schemathesisProgram(), [
          `--config-file=${join(import.meta.dirname, 'schemathesis.toml')}`,
          'run',
          `${service.url}/openapi.json`,
          `--url=${service.url}`,
          '--checks=all',
          ...schemathesisEffort(examples),
          '--no-color',
        ]);
        expect(report).toMatch(/No issues found/);
      } finally {
        await service.stop();
      }
    },
    SCHEMATHESIS_TIMEOUT_MS,
  );
});
