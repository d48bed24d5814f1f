// A service of its own process, for run.test.ts: slow and failing paths, one adapter that reports when it is closed. What is slow
// ends with SIGUSR2, when the test has seen what happens meanwhile.
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { createDrain } from '@workspace/http-connections';
import { createLogger } from '@workspace/logging';
import { createService } from '@workspace/service-kit';
import { createMetrics, readConfig, run, serviceEnv, startService } from '../src/index.ts';

await startService(async () => {
  const released = once(process, 'SIGUSR2');
  const config = readConfig(
    Type.Object({
      ...serviceEnv({ port: 0 }),
      CLOSE_MS: Type.Integer({ default: 0 }),
      START_LATE: Type.Boolean({ default: false }),
    }),
    process.env,
  );
  const logger = createLogger({ name: 'demo', level: config.LOG_LEVEL });
  const drain = createDrain();
  const metrics = createMetrics({ name: 'demo', version: '0' });
  const app = createService({ logger, drain, metrics });
  app.get('/slow', async () => {
    logger.info('slow begun');
    await released;
    return 'done';
  });
  app.get('/crash', () => {
    setImmediate(() => {
      throw new Error('not caught');
    });
    return 'soon';
  });
  app.get('/late-failure', () => {
    setImmediate(() => void Promise.reject(new Error('nobody waits for this')));
    return 'soon';
  });
  app.post('/echo', (request) => request.body);
  app.get('/stream', (_request, reply) =>
    // The headers leave at once, without `connection: close`; the rest follows while the service drains.
    reply.send(
      Readable.from(
        (async function* () {
          yield 'first,';
          await sleep(400);
          yield 'last';
        })(),
      ),
    ),
  );
  app.addHook('onReady', async () => {
    if (config.START_LATE) await released;
  });
  app.addHook('onClose', async () => {
    await sleep(config.CLOSE_MS);
    logger.info('adapter closed');
  });
  await run({ app, config, logger, drain, metrics, version: '0', ready: () => ({ ready: true }) });
});
