import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { untilHealth } from '../support/health.ts';
import { createAnswerLog, numberedBody, violations } from '../support/answer-log.ts';
import { startService } from '../support/service.ts';
import type { FaultScenario } from './test-bed.ts';

const requestOf = (body: string): string =>
  [
    'POST /operations HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');

/** Where a request stops before its time is over; what is left of it is sent after the answer. */
const stops: Record<string, (request: string) => number> = {
  'in the headers': (request) => request.indexOf('content-type'),
  'in the body': (request) => request.length - 10,
  'before the first byte': () => 0,
};

/** Sends a request up to `stop`, and the rest as soon as anything arrives; resolves with all that arrived. */
const sendLate = async (port: number, request: string, stop: number): Promise<string> => {
  const socket: Socket = connect(port, '127.0.0.1');
  // The service resets the connection while we still write: that is what is tested.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (stop > 0) socket.write(request.slice(0, stop));
  let received = '';
  let isRest = false;
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    if (!isRest) socket.write(request.slice(stop));
    isRest = true;
  });
  if (!socket.closed) await once(socket, 'close');
  return received;
};

/** K4: a request that is too slow is answered 408, and what comes after the answer is never published. */
export const lateBytes: FaultScenario = {
  id: 'K4',
  fault: 'the rest of a request sent after its 408',
  run: async (bed) => {
    const topic = await bed.topic('late-bytes');
    const service = await startService({
      KAFKA_BOOTSTRAP_SERVERS: bed.broker.bootstrapServers,
      KAFKA_TOPIC: topic,
      REQUEST_TIMEOUT_MS: '1000',
    });
    await untilHealth(service.url, 200);
    const answers = createAnswerLog();
    const found: string[] = [];
    const attempts = Array.from({ length: bed.long ? 20 : 2 }, () => Object.entries(stops)).flat();
    await Promise.all(
      attempts.map(async ([where, stopOf]) => {
        const number = answers.next();
        const request = requestOf(numberedBody(number));
        const received = await sendLate(service.port, request, stopOf(request));
        const statuses = received.match(/HTTP\/1\.1 \d+/g) ?? [];
        if (statuses.some((status) => !status.endsWith('408')))
          found.push(`${where}: ${statuses.join(', ')}`);
        answers.record(number, 'not-published');
      }),
    );
    const exit = await service.stop();
    if (exit !== 0) found.push(`exit code ${exit}`);
    const audit = await answers.audit(bed.broker, topic);
    found.push(...violations(audit));
    return { figures: { requests: attempts.length, ...audit }, violations: found };
  },
};
