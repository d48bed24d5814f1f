import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A client that continues to write after the server's last answer. */
export const openClient = async (
  server: Server,
): Promise<{ socket: Socket; received: () => string; ended: Promise<unknown> }> => {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  return { socket, received: () => text, ended };
};

/** The statuses of the answers in a text. */
export const statuses = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);
