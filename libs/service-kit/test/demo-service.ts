// A service of its own process, for run.test.ts: one slow path, one adapter that tells when it is closed.
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { createLogger } from '@workspace/logging';
import {
  createDrain,
  createMetrics,
  createService,
  readConfig,
  run,
  serviceEnv,
  startService,
} from '../src/index.ts';

await startService(async () => {
  const config = readConfig(
    Type.Object({ ...serviceEnv({ port: 0 }), CLOSE_MS: Type.Integer({ default: 0 }) }),
    process.env,
  );
  const logger = createLogger({ name: 'demo', level: config.LOG_LEVEL });
  const drain = createDrain();
  const metrics = createMetrics({ name: 'demo', version: '0' });
  const app = createService({ logger, drain, metrics });
  app.get('/slow', async () => {
    logger.info('slow begun');
    await sleep(400);
    return 'done';
  });
  app.get('/crash', () => {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
    return 'soon';
  });
  app.addHook('onClose', async () => {
    await sleep(config.CLOSE_MS);
    logger.info('adapter closed');
  });
  await run({ app, config, logger, drain, metrics, version: '0', ready: () => ({ ready: true }) });
});
