import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ServiceProcess, startServiceProcess } from '@workspace/testing';

/** Starts the demo service as a process. */
export const start = (env: Record<string, string> = {}): ServiceProcess => {
  const service = startServiceProcess({
    args: ['--import', 'tsx', 'test/demo-service.ts'],
    cwd: join(__dirname, '..'),
    env: { MANAGEMENT_PORT: '0', ...env },
  });
  running.push(service);
  return service;
};
const running: ServiceProcess[] = [];
afterEach(() => running.splice(0).forEach(({ child }) => child.kill('SIGKILL')));

export const addresses = async (service: ServiceProcess) => ({
  management: String((await service.logged('management listening'))['address']),
  main: await service.url(),
});

/** A connection of its own that has sent `bytes`, and everything it hears until it ends. */
export const talk = async (
  url: string,
  bytes: string,
  localAddress = '127.0.0.1',
): Promise<{ socket: Socket; soFar: () => string; received: Promise<string> }> => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress }).setEncoding(
    'utf8',
  );
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
  // Before the connection is made: it may be closed at once.
  const received = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await once(socket, 'connect');
  if (bytes) socket.write(bytes);
  return { socket, soFar: () => text, received };
};
