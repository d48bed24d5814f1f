import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@workspace/testing';
import { EventStream } from './event-stream.ts';

/** More than the kernel keeps for a client that does not read. */
const LARGE = 'x'.repeat(8_000_000);

const open = async (state: () => Promise<unknown>, intervalMs: number) => {
  const events = new EventStream(state, intervalMs);
  const opened: Promise<void>[] = [];
  const server = createServer((_request, response) => void opened.push(events.open(response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  const client = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    clients.push(socket);
    socket.on('error', () => undefined).pause();
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    return socket;
  };
  return {
    client,
    opened,
    connections: () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    close: async () => {
      events.close();
      for (const socket of clients) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

describe('the event stream of the console', () => {
  it('has twenty clients at most, and ends at once those that do not read', async () => {
    const { client, opened, connections, close } = await open(() => Promise.resolve(LARGE), 50);
    for (let index = 0; index < 60; index += 1) await client();
    await eventually('60 clients', () => opened.length === 60);
    await eventually('twenty connections', async () => (await connections()) === 20);
    await close();
  });

  it('asks for the state once in an interval, however many clients come', async () => {
    let asked = 0;
    const { client, opened, close } = await open(() => Promise.resolve((asked += 1)), 3_600_000);
    for (let index = 0; index < 200; index += 1) await client();
    await eventually('200 clients', () => opened.length === 200);
    await Promise.all(opened);
    expect(asked).toBe(1);
    await close();
  });
});
