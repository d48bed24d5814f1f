import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type ServiceProcess, startServiceProcess } from '@workspace/testing';

/** In one file, which starts in a third of the time that the sources take. */
const folder = mkdtempSync(join(tmpdir(), 'demo-service-'));
const bundle = join(folder, 'demo-service.mjs');
beforeAll(async () => {
  await build({
    entryPoints: [join(__dirname, 'demo-service.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the demo service as a process. */
export const start = (env: Record<string, string> = {}): ServiceProcess => {
  const service = startServiceProcess({ args: [bundle], env: { MANAGEMENT_PORT: '0', ...env } });
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
