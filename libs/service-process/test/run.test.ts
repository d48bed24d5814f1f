import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { eventually } from '@workspace/testing';
import { addresses, start, talk } from './demo-process.ts';

describe('run', () => {
  it('closes connections beyond MAX_CONNECTIONS at once, says so once, and takes others when one has ended', async () => {
    const service = start({ MAX_CONNECTIONS: '2' });
    const { main, management } = await addresses(service);
    const first = await talk(main, '');
    const second = await talk(main, '', '127.0.0.2');
    for (const _ of [3, 4]) expect(await (await talk(main, '')).received).toBe('');
    expect(await service.logged('too many connections; closing new ones')).toMatchObject({ limit: 2 });
    expect((await fetch(`${management}/live`)).status).toBe(200);
    second.socket.write('GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(await second.received).toContain('HTTP/1.1 404');
    // The service may hear of the end of a connection after its client.
    await eventually('room', async () => {
      const { received } = await talk(
        main,
        'GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
        '127.0.0.2',
      );
      return (await received).startsWith('HTTP/1.1 404');
    });
    // The first connection is the share of its client.
    expect(await (await talk(main, '')).received).toBe('');
    expect(service.lines.filter(({ msg }) => msg.startsWith('too many'))).toHaveLength(1);
    first.socket.destroy();
    expect(await service.stop()).toBe(0);
  });

  it('answers the requests it has when SIGTERM comes: unready first, adapters closed last, exit 0', async () => {
    const service = start({ DRAIN_DELAY_MS: '200' });
    const { main, management } = await addresses(service);
    for (const path of ['/health/live', '/live', '/health/ready', '/ready']) {
      expect((await fetch(management + path)).status).toBe(200);
    }
    expect(await (await fetch(`${management}/version`)).json()).toEqual({ version: '0' });
    expect(await (await fetch(`${management}/metrics`)).text()).toContain('service_info');

    const slow = fetch(`${main}/slow`);
    await service.logged('slow begun');
    service.child.kill('SIGTERM');
    await service.logged('draining');
    const ready = await fetch(`${management}/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reason: 'draining' }]);
    expect((await fetch(`${management}/live`)).status).toBe(200);
    service.child.kill('SIGUSR2');
    const answer = await slow;
    expect([answer.status, answer.headers.get('connection'), await answer.text()]).toEqual([
      200,
      'close',
      'done',
    ]);
    expect(await service.exited).toBe(0);
    expect(service.lines.slice(-2).map((line) => line.msg)).toEqual(['adapter closed', 'stopped']);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1'],
    ['0.0.0.0', 'http://0.0.0.0'],
    ['::', 'http://[::]'],
  ])('logs once where it listens: on %s', async (HOST, url) => {
    const service = start({ HOST });
    const { main } = await addresses(service);
    const { port } = new URL(main);
    expect(main).toBe(`${url}:${port}`);
    expect((await fetch(`http://127.0.0.1:${port}/echo`)).status).toBeLessThan(500);
    expect(service.lines.filter((line) => JSON.stringify(line).includes(`:${port}`))).toHaveLength(1);
    expect(await service.stop()).toBe(0);
  });

  it('listens on localhost by name', async () => {
    const service = start({ HOST: 'localhost', MANAGEMENT_HOST: 'localhost' });
    const { main, management } = await addresses(service);
    for (const url of [`${main}/echo`, `${management}/live`]) {
      const { port } = new URL(url);
      expect((await fetch(url.replace(/\/\/[^/]*/, `//localhost:${port}`))).status).toBeLessThan(500);
    }
    expect(await service.stop()).toBe(0);
  });

  it('is alive, but not ready, before the public listener is open', async () => {
    const service = start({ START_LATE: 'true' });
    const management = String((await service.logged('management listening'))['address']);
    const ready = await fetch(`${management}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reason: 'starting' }]);
    expect((await fetch(`${management}/health/live`)).status).toBe(200);
    service.child.kill('SIGUSR2');
    await service.url();
    expect((await fetch(`${management}/health/ready`)).status).toBe(200);
  });

  it('exits 1 on a second signal, and when closing takes too long', async () => {
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

  it('closes in order and exits 1 after an uncaught exception', async () => {
    const service = start();
    const { main } = await addresses(service);
    await fetch(`${main}/crash`).catch(() => 'the connection may go with it');
    expect(await service.exited).toBe(1);
    expect(service.lines.map((line) => line.msg)).toEqual(
      expect.arrayContaining(['uncaughtException', 'adapter closed', 'stopped']),
    );
  });

  it('closes connections without a whole request when draining ends, and exits 0', async () => {
    const service = start({ DRAIN_DELAY_MS: '50' });
    const { main, management } = await addresses(service);
    const silent = [await talk(main, ''), await talk(management, '')];
    const halfHead = await talk(main, 'GET /slow HTTP/1.1\r\nhost: x\r\n');
    const idle = await talk(main, 'GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(idle.socket, 'data');
    const halfBody = await talk(
      main,
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nhalf',
    );
    const begun = await talk(main, 'GET /stream HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(begun.socket, 'data');
    service.child.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(service.lines.at(-1)).toMatchObject({ msg: 'stopped' });
    expect(await Promise.all(silent.map(({ received }) => received))).toEqual(['', '']);
    expect(await halfHead.received).toBe('');
    expect(await idle.received).toContain('HTTP/1.1 404');
    // Its request had begun, so it gets an answer.
    expect(await halfBody.received).toMatch(/^HTTP\/1\.1 503 [^]*urn:problem-type:draining/);
    expect(await begun.received).toContain('last');
  });

  it('answers a request that comes on an idle connection while draining, and closes idle ones after DRAIN_IDLE_MS', async () => {
    const service = start({ DRAIN_DELAY_MS: '0', DRAIN_IDLE_MS: '60000' });
    const { main } = await addresses(service);
    const request = 'GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n';
    const [used, left] = [await talk(main, request), await talk(main, request)];
    for (const { soFar } of [used, left]) await eventually('answer', () => soFar() !== '');
    const begun = await talk(main, 'GET /stream HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(begun.socket, 'data');
    service.child.kill('SIGTERM');
    // Its answer began without `connection: close`, so it is idle afterwards, too.
    await eventually('end of the answer', () => begun.soFar().includes('\r\n0\r\n\r\n'));
    await eventually('refused', () =>
      fetch(main).then(
        () => undefined,
        () => true,
      ),
    );
    for (const { socket, received } of [used, begun]) {
      socket.write(request);
      expect((await received).split('HTTP/1.1')[2]).toMatch(/^ 404 [^]*connection: close/i);
    }
    left.socket.destroy();
    expect(await service.exited).toBe(0);

    const short = start({ DRAIN_DELAY_MS: '0', DRAIN_IDLE_MS: '100' });
    const idle = await talk((await addresses(short)).main, request);
    await once(idle.socket, 'data');
    short.child.kill('SIGTERM');
    expect(await idle.received).toMatch(/^HTTP\/1.1 404/);
    expect(await short.exited).toBe(0);
  });

  it('goes on after an unhandled rejection, which is logged and counted', async () => {
    const service = start();
    const { main, management } = await addresses(service);
    await fetch(`${main}/late-failure`);
    await eventually('count', async () =>
      (await (await fetch(`${management}/metrics`)).text()).includes('unhandled_rejections_total 1'),
    );
    expect((await fetch(`${main}/nothing`)).status).toBe(404);
    service.child.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(service.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { msg: 'unhandledRejection', err: { message: 'nobody waits for this' } },
    ]);
    expect(service.stderr()).toBe('');
  });

  it('prints every violation of the environment and exits 1', async () => {
    const service = start({ PORT: 'abc', LOG_LEVEL: 'loud' });
    expect(await service.exited).toBe(1);
    expect(service.stderr()).toMatch(/PORT must be an integer.*\n.*LOG_LEVEL must be one of/);
  });

  it('prints which port is in use, and the settings to change', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const service = start({ PORT: port });
    expect(await service.exited).toBe(1);
    expect(service.stderr()).toContain(`address already in use 127.0.0.1:${port} (HOST, PORT)\n`);
    const managed = start({ MANAGEMENT_PORT: port });
    expect(await managed.exited).toBe(1);
    expect(managed.stderr()).toContain(`127.0.0.1:${port} (MANAGEMENT_HOST, MANAGEMENT_PORT)\n`);
    other.close();
  });

  it('says in one line, without a stack, that an address is not of this machine', async () => {
    const service = start({ HOST: '192.0.2.7' });
    expect(await service.exited).toBe(1);
    expect(service.stderr()).toMatch(
      /^listen EADDRNOTAVAIL: address not available 192\.0\.2\.7 \(HOST, PORT\)\n$/,
    );
  });
});
