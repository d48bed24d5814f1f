import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RunningService, startService } from './support/service.ts';

/** Writes raw bytes and reads until the service closes the connection. */
const talk = async (port: number, ...pieces: string[]): Promise<string> => {
  const socket: Socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (const piece of pieces) socket.write(piece);
  let received = '';
  for await (const chunk of socket.setEncoding('latin1')) received += String(chunk);
  return received;
};

const HEAD = 'POST /operations HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

// These need no Kafka: the requests are rejected before it is asked.
describe('HTTP that arrives slowly, broken or in excess', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ KAFKA_BOOTSTRAP_SERVERS: 'localhost:1', REQUEST_TIMEOUT_MS: '1000' });
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
  });

  it.each([
    ['408 to a body that does not come', `${HEAD}content-length: 100\r\n\r\n[{"operation"`],
    ['408 to headers that do not end', HEAD],
    ['400 to what is no HTTP', 'hello\r\n\r\n'],
    ['431 to endless headers', `${HEAD}x-big: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['400 to two lengths', `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n[]x`],
    [
      '400 to a length beside chunks',
      `${HEAD}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    ],
  ])('answers %s', async (what, request) => {
    expect(await talk(service.port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${what.slice(0, 3)} `));
  });

  it('answers 413 before a chunked body has come whole', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const received = await talk(
      service.port,
      `${HEAD}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
      chunk.repeat(17),
    );
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('still answers the next request', async () => {
    const answer = await fetch(`${service.url}/health/live`);
    expect(await answer.json()).toEqual({ status: 'up' });
  });
});
