import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { killServices, startService } from './support/service.ts';

afterEach(killServices);

// It needs no Kafka: the request is rejected before it is asked.
it('answers 408 to headers that have not ended after REQUEST_TIMEOUT_MS', async () => {
  const service = await startService({ KAFKA_BOOTSTRAP_SERVERS: 'localhost:1', REQUEST_TIMEOUT_MS: '1000' });
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST /operations HTTP/1.1\r\nhost: localhost\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  expect(await service.stop()).toBe(0);
});
