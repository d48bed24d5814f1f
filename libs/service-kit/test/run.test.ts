import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ServiceProcess, startServiceProcess } from '../src/testing/index.ts';

jest.setTimeout(30_000);

/** Starts the demo service as a process. */
const start = (env: Record<string, string> = {}): ServiceProcess => {
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

const addresses = async (service: ServiceProcess) => ({
  management: String((await service.logged('management listening'))['address']),
  main: await service.url(),
});

describe('run', () => {
  it('answers what it accepted before SIGTERM, unready first, adapters closed last, exit 0', async () => {
    const service = start({ DRAIN_DELAY_MS: '200' });
    const { main, management } = await addresses(service);
    expect((await fetch(`${management}/ready`)).status).toBe(200);
    expect(await (await fetch(`${management}/version`)).json()).toEqual({ version: '0' });
    expect(await (await fetch(`${management}/metrics`)).text()).toContain('service_info');

    const slow = fetch(`${main}/slow`);
    await service.logged('slow begun');
    service.child.kill('SIGTERM');
    await service.logged('draining');
    const ready = await fetch(`${management}/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reason: 'draining' }]);
    expect((await fetch(`${management}/live`)).status).toBe(200);
    const answer = await slow;
    expect([answer.status, answer.headers.get('connection'), await answer.text()]).toEqual([
      200,
      'close',
      'done',
    ]);
    expect(await service.exited).toBe(0);
    expect(service.lines.slice(-2).map((line) => line.msg)).toEqual(['adapter closed', 'stopped']);
  });

  it('leaves with 1 on a second signal, and when closing hangs', async () => {
    const twice = start({ CLOSE_MS: '60000' });
    await addresses(twice);
    twice.child.kill('SIGTERM');
    await twice.logged('draining');
    twice.child.kill('SIGINT');
    expect(await twice.exited).toBe(1);

    const hanging = start({ CLOSE_MS: '60000', SHUTDOWN_TIMEOUT_MS: '300' });
    await addresses(hanging);
    hanging.child.kill('SIGTERM');
    expect(await hanging.exited).toBe(1);
    expect(hanging.lines.at(-1)).toMatchObject({ level: 'error', timeoutMs: 300 });
  });

  it('stops in order and exits 1 after a failure nobody caught', async () => {
    const service = start();
    const { main } = await addresses(service);
    await fetch(`${main}/crash`).catch(() => 'the connection may go with it');
    expect(await service.exited).toBe(1);
    expect(service.lines.map((line) => line.msg)).toEqual(
      expect.arrayContaining(['uncaughtException: stopping', 'adapter closed', 'stopped']),
    );
  });

  it('says every fault of the environment and exits 1', async () => {
    const service = start({ PORT: 'abc', LOG_LEVEL: 'loud' });
    expect(await service.exited).toBe(1);
    expect(service.stderr()).toMatch(/PORT must be an integer.*\n.*LOG_LEVEL must be one of/);
  });

  it('says which port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const service = start({ PORT: port });
    expect(await service.exited).toBe(1);
    expect(service.stderr()).toContain(`address already in use 127.0.0.1:${port}`);
    other.close();
  });
});
