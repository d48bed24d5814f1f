import { createServer } from 'node:net';
import { freePorts, isFree } from './ports.ts';

describe('freePorts', () => {
  it('gives different ports outside the range of outgoing connections', async () => {
    const ports = await freePorts(20);
    expect(new Set(ports).size).toBe(20);
    expect(Math.max(...ports)).toBeLessThan(32_768 - 10_000);
  });

  it('gives each port once while the process runs', async () => {
    const ports = (await Promise.all([freePorts(500), freePorts(500)])).flat();
    expect(new Set(ports).size).toBe(1_000);
  });
});

describe('isFree', () => {
  it('sees a listener', async () => {
    const [port] = await freePorts(1);
    expect(await isFree(port!)).toBe(true);
    const server = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await isFree(port!)).toBe(false);
    server.close();
  });
});
