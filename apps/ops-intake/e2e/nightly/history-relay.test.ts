import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually, freePort } from '@workspace/testing';
import { openRelay, type Relay } from '../../history/relay.ts';

describe('a network that is cut', () => {
  let relay: Relay;
  let server: Server;
  /** what reached the server, by connection, with its end */
  let arrived: string[];
  const atServer: Socket[] = [];
  beforeEach(async () => {
    const texts: string[] = [];
    arrived = texts;
    server = createServer((socket) => {
      const index = texts.push('') - 1;
      const note = (text: string): void => void (texts[index] += text);
      atServer[index] = socket;
      socket.setEncoding('utf8');
      socket.on('data', note).on('end', () => note(' end'));
      socket.on('error', (error: NodeJS.ErrnoException) => note(` ${error.code}`));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    relay = await openRelay(await freePort());
    relay.target = (server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    await relay.close();
    server.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(relay.port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const untilArrived = (expected: string[]): Promise<unknown> =>
    eventually(`"${expected.join()}"`, () => {
      if (arrived.join() === expected.join()) return true;
      throw new Error(arrived.join());
    });
  /** Resolves when the relay has read what was sent before: it reads connections in turn. */
  const untilRead = async (): Promise<void> => {
    for (let wait = 0; wait < 10; wait += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  it('delivers what was sent meanwhile when it heals, and what a closed connection had to send', async () => {
    const [kept, closed] = [await open(), await open()];
    kept.write('a');
    closed.write('a');
    await untilArrived(['a', 'a']);
    relay.cut('there', 'back');
    kept.write('b');
    closed.end('b');
    await untilRead();
    expect(arrived).toEqual(['a', 'a']);
    relay.heal();
    await untilArrived(['ab', 'ab end']);
    kept.destroy();
  });

  it('delivers nothing more of a connection that was reset, but the reset', async () => {
    const socket = await open();
    socket.write('a');
    await untilArrived(['a']);
    relay.cut('there', 'back');
    socket.write('b');
    await untilRead();
    socket.resetAndDestroy();
    await untilRead();
    relay.heal();
    await untilArrived(['a ECONNRESET']);
  });

  it('opens a connection when it heals, unless that was given up', async () => {
    relay.cut('there', 'back');
    const [kept, closed, reset] = [await open(), await open(), await open()];
    for (const socket of [kept, closed, reset]) socket.write('a');
    closed.end();
    await untilRead();
    reset.resetAndDestroy();
    await untilRead();
    relay.heal();
    await untilArrived(['a']);
    kept.destroy();
  });

  it('can lose answers alone', async () => {
    const socket = await open();
    const received: string[] = [];
    socket.on('data', (text: string) => received.push(text));
    relay.cut('back');
    socket.write('a');
    await untilArrived(['a']);
    atServer[0]!.write('answer');
    await untilRead();
    expect(received).toEqual([]);
    relay.heal();
    await eventually('the answer', () => received.join('') === 'answer');
    socket.destroy();
  });

  it('resets connections when it has forgotten them', async () => {
    const socket = await open();
    socket.write('a');
    await untilArrived(['a']);
    relay.cut('there', 'back');
    socket.write('b');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    relay.heal(true);
    await closed;
    await untilArrived(['a ECONNRESET']);
  });
});
