// A client of hostile-clients-suite.ts, run as a process of its own so that its work does not delay what the test measures:
//   node hostile-client.ts <port> <a HostileClient as JSON>
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Connections that send, and read nothing of what they get. */
export interface HostileClient {
  readonly connections: number;
  /** what each connection sends first */
  readonly head?: string;
  /** what it sends then, `times` times */
  readonly unit?: string;
  readonly times?: number;
  /** milliseconds between two units; at once when left out */
  readonly everyMs?: number;
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

const [port, spec] = process.argv.slice(2);
const client = JSON.parse(spec!) as HostileClient;
const sockets: Socket[] = [];
// Not all at once: the queue of connections that wait to be accepted is short.
while (sockets.length < client.connections) {
  const more = Math.min(100, client.connections - sockets.length);
  sockets.push(...(await Promise.all(Array.from({ length: more }, () => open(Number(port))))));
}
console.log('connected');
await Promise.all(sockets.map((socket) => send(socket, client)));
console.log('sent');
