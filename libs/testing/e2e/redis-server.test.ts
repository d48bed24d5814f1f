import { createServer } from 'node:net';
import { startRedisCluster } from '../src/stores/redis-groups.ts';
import { startRedis } from '../src/stores/redis-server.ts';

const CLUSTER = ['cluster-enabled yes'];
const SECOND_PORT = 10_000;

describe('startRedis', () => {
  it('takes other ports when the second port of a Cluster node is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port: taken } = other.address() as { port: number };
    const server = await startRedis({ settings: CLUSTER, port: taken - SECOND_PORT });
    expect(server.port).not.toBe(taken - SECOND_PORT);
    expect(await server.command('PING')).toBe('PONG');
    await server.stop();
    other.close();
  });
});

describe('startRedisCluster', () => {
  it('leaves no server behind when it fails', async () => {
    const settings = ['logfile /no/such/folder/redis.log'];
    await expect(startRedisCluster({ settings })).rejects.toThrow('ended');
  });
});
