import { createServer } from 'node:http';
import { systemClock } from '@workspace/service-process';
import { createRandomPool } from '../../src/adapters/random/random-pool.ts';
import { toRecord } from '../../src/application/submission-record.ts';
import { newSubmissionId } from '../../src/domain/submission-id.ts';
import { openLog } from './open-log.ts';
import { ready } from './ready.ts';

// The log without the service: each request appends so many records that were made before, as fast as the queue has room.
const count = Number(process.env['BENCH_LINES']);
const log = await openLog();

const operation = '{"operation":"buy","unit-cost":10.00,"quantity":100}';
const submission = { bytes: Buffer.from(`[${[operation, operation, operation].join()}]`), operations: 3 };
const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' };
const now = systemClock();
const fillRandomly = createRandomPool();
const records = Array.from({ length: count }, () =>
  toRecord(newSubmissionId(now, fillRandomly), submission, { now, trace }),
);

const appendAll = (): Promise<void> =>
  new Promise((resolve) => {
    let appended = 0;
    let settled = 0;
    const fill = (): void => {
      while (appended < count && !log.isFull()) log.append(records[appended++]!, listener, Infinity);
    };
    const listener = {
      settled: () => {
        settled += 1;
        if (settled === count) resolve();
        else if (appended - settled < 5_000) fill();
      },
    };
    fill();
  });

const server = createServer((_request, response) => {
  void appendAll().then(() => response.end('done'));
});
server.listen(0, '127.0.0.1', () => ready(server));
