// A client of hostile-clients-suite.ts, run as a process of its own so that its work does not delay what the test measures:
//   node hostile-client.ts <port> <a HostileClient as JSON>
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Connections that send, and read nothing of what they get unless they wait for answers. */
export interface HostileClient {
  readonly connections: number;
  /** what each connection sends first */
  readonly head?: string;
  /** a gzip file of that many spaces, which it sends after the head, in chunks of `chunkBytes` */
  readonly bomb?: { readonly bytes: number; readonly chunkBytes: number };
  /** what it sends then, `times` times */
  readonly unit?: string;
  readonly times?: number;
  /** milliseconds between two units; at once when left out */
  readonly everyMs?: number;
  /**
   * whether it waits for answers: with a head to the one request that head and units are, otherwise to each unit, which has its
   * number in the place of `{n}`
   */
  readonly waits?: boolean;
  /** what it does when it has sent everything: ends its direction of the connection, or resets it; nothing when left out */
  readonly then?: 'end' | 'reset';
  /** how often each connection is opened again after that; 0 when left out */
  readonly again?: number;
  /** whether the service stands still until all are connected, so that they wait at its port */
  readonly waitsAtPort?: boolean;
}

/** Bytes that are written at once; more of the same are written when the kernel has taken these. */
const BLOCK_BYTES = 65_536;

const open = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).pause();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
};

/** Sends everything, or as much as is taken before the connection is closed. */
const send = (socket: Socket, { head = '', unit = '', times = 0, everyMs }: HostileClient): Promise<void> =>
  new Promise((sent) => {
    let left = times;
    const perBlock = everyMs === undefined ? Math.max(1, Math.floor(BLOCK_BYTES / unit.length)) : 1;
    const block = unit.repeat(Math.min(perBlock, times));
    const next = (): void => {
      if (left === 0 || socket.destroyed) return sent();
      const count = Math.min(perBlock, left);
      left -= count;
      socket.write(count * unit.length === block.length ? block : unit.repeat(count), () =>
        everyMs === undefined ? next() : setTimeout(next, everyMs),
      );
    };
    socket.once('close', () => sent());
    if (head === '') next();
    else socket.write(head, next);
  });

const bombOf = ({ bytes, chunkBytes }: NonNullable<HostileClient['bomb']>): Buffer => {
  const packed = gzipSync(Buffer.alloc(bytes, ' '));
  const chunks: Buffer[] = [];
  for (let at = 0; at < packed.length; at += chunkBytes) {
    const chunk = packed.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
};

let asked = 0;
/** Sends requests one after another, each when there is an answer to the one before. */
const ask = async (socket: Socket, { head, unit = '', times = 0 }: HostileClient): Promise<void> => {
  let answered = (): void => undefined;
  socket.on('data', () => answered()).on('close', () => answered());
  socket.resume();
  const requests = head === undefined ? times : 1;
  for (let count = 0; count < requests && !socket.destroyed; count += 1) {
    asked += 1;
    const answer = new Promise<void>((resolve) => (answered = resolve));
    socket.write(head === undefined ? unit.replaceAll('{n}', String(asked)) : head + unit.repeat(times));
    await answer;
  }
};

const [port, spec] = process.argv.slice(2);
const client = JSON.parse(spec!) as HostileClient;
const sockets: Socket[] = [];
// Not all at once: the queue of connections that wait to be accepted is short.
while (sockets.length < client.connections) {
  const more = Math.min(100, client.connections - sockets.length);
  sockets.push(...(await Promise.all(Array.from({ length: more }, () => open(Number(port))))));
}
console.log('connected');
const bomb = client.bomb && bombOf(client.bomb);
const run = async (socket: Socket, again = client.again ?? 0): Promise<void> => {
  if (bomb) socket.write(Buffer.concat([Buffer.from(client.head ?? ''), bomb]));
  else if (client.waits) await ask(socket, client);
  else await send(socket, client);
  if (client.then === 'end') socket.end();
  if (client.then === 'reset') socket.resetAndDestroy();
  if (again > 0) await run(await open(Number(port)), again - 1);
};
await Promise.all(sockets.map((socket) => run(socket)));
console.log('sent');
