import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type BuiltService,
  describeWith,
  eventually,
  freePorts,
  startBuiltService,
  workspaceRoot,
} from '@workspace/testing';

const NO_BROKER = { KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' };
const CALLERS = ['8.8.8.8', '2001:4860:4860::8888'];

const sourceLine = (address: string): string =>
  address.includes(':') ? `PROXY TCP6 ${address} ::1 1 2\r\n` : `PROXY TCP4 ${address} 127.0.0.1 1 2\r\n`;

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;

const open = (port: number, bytes: string) => {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  socket.write(bytes);
  return socket;
};

/** Sends bytes on a connection of its own, and returns all that comes back. */
const send = (port: number, bytes: string): Promise<string> => text(open(port, bytes));

const LAST = 'connection: close\r\n';

describe.each([
  ['release-web', {}],
  ['ops-intake', NO_BROKER],
  ['ip-locate', {}],
])('PROXY_PROTOCOL of %s', (app, env) => {
  let service: BuiltService;
  beforeAll(async () => {
    const settings = {
      TRUST_PROXY: 'loopback',
      PROXY_PROTOCOL: 'true',
      MAX_CONNECTIONS: '4',
      MANAGEMENT_PORT: '0',
    };
    service = await startBuiltService(app, { ...settings, ...env });
  });
  afterAll(() => service.stop());

  it('shares connections among the sources, and closes what has no header', async () => {
    expect(await send(service.port, get('/health/live'))).toBe('');
    expect(await service.logged('closing connections without a PROXY protocol header')).toMatchObject({
      level: 'warn',
      reason: 'it does not begin with a valid header',
    });
    const hold = async (address: string) => {
      const socket = open(service.port, sourceLine(address) + get('/health/live'));
      const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      return { socket, status: String(chunk).slice(9, 12) };
    };
    const held = [await hold('192.0.2.1'), await hold('192.0.2.1')];
    const more = [await hold('192.0.2.1'), await hold('192.0.2.2')];
    expect([...held, ...more].map(({ status }) => status)).toEqual([
      '200',
      '200',
      expect.not.stringMatching('200'),
      '200',
    ]);
    for (const { socket } of [...held, ...more]) socket.destroy();
  });

  it('leaves the management port as it is', async () => {
    const url = String((await service.logged('management listening'))['address']);
    expect((await fetch(`${url}/health/ready`)).status).toBeLessThan(504);
  });
});

/** The documented example in a language. */
const example = (language: string): string[] =>
  [
    ...readFileSync(join(workspaceRoot, 'libs/service-kit/docs/settings.md'), 'utf8').matchAll(
      /^```(\w+)\n([\s\S]*?)^```$/gm,
    ),
  ]
    .filter(([, kind]) => kind === language)
    .map(([, , block]) => block!);

/** The tests play the proxy before these, and name the caller of these by the PROXY protocol. */
const haproxy = (ports: Readonly<Record<string, number>>): string => {
  const [server = '', forwarded = ''] = example('haproxy');
  const service = server.trim().replace('127.0.0.1:3002', `127.0.0.1:${ports['behindTcp']}`);
  const listen = (name: string, ...lines: string[]) =>
    [`listen ${name}`, `bind 127.0.0.1:${ports[name]} accept-proxy`, ...lines].join('\n  ');
  return [
    'defaults\n  mode http\n  timeout connect 30s\n  timeout client 60s\n  timeout server 60s',
    listen('v1', 'mode tcp', service.replace('-v2', '')),
    // It checks the service by LOCAL connections.
    listen('v2', 'mode tcp', 'option httpchk GET /health/live', `${service} check inter 200ms fall 1 rise 1`),
    listen('vectors', 'mode tcp', 'unique-id-format %ci-%cp', `${service} proxy-v2-options crc32c,unique-id`),
    listen('http', service),
    listen('forwarded', ...forwarded.trim().split('\n'), `server a 127.0.0.1:${ports['behindHttp']}`),
    listen('stats', 'stats enable', 'stats uri /stats'),
    '',
  ].join('\n');
};

const nginx = (folder: string, ports: Readonly<Record<string, number>>): string => `
daemon off; pid ${folder}/pid; error_log stderr error; events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  set_real_ip_from 127.0.0.1;
  real_ip_header proxy_protocol;
  ${example('nginx')[0]}
  server {
    listen 127.0.0.1:${ports['nginx']} proxy_protocol;
    location / { proxy_set_header Forwarded $forwarded; proxy_pass http://127.0.0.1:${ports['behindHttp']}; }
  }
}
`;

describeWith(['haproxy', 'nginx'], 'the address of a caller of ip-locate', () => {
  const proxies: ChildProcess[] = [];
  const services: BuiltService[] = [];
  const ports: Record<string, number> = {};
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'client-address-'));
    chmodSync(folder, 0o755);
    const env = { TRUST_PROXY: 'loopback', LOG_ADDRESSES: 'truncated' };
    services.push(
      await startBuiltService('ip-locate', { ...env, PROXY_PROTOCOL: 'true', RATE_LIMIT: '30/hour' }),
      await startBuiltService('ip-locate', { ...env, CLIENT_IP_HEADER: 'forwarded' }),
    );
    ports['behindTcp'] = services[0]!.port;
    ports['behindHttp'] = services[1]!.port;
    const names = ['v1', 'v2', 'vectors', 'http', 'forwarded', 'stats', 'nginx'];
    for (const [at, port] of (await freePorts(names.length)).entries()) ports[names[at]!] = port;
    writeFileSync(join(folder, 'haproxy.cfg'), haproxy(ports));
    writeFileSync(join(folder, 'nginx.conf'), nginx(folder, ports));
    const stdio = ['ignore', 'inherit', 'inherit'] as const;
    proxies.push(
      spawn('haproxy', ['-db', '-q', '-f', join(folder, 'haproxy.cfg')], { stdio: [...stdio] }),
      spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], { stdio: [...stdio] }),
    );
    await eventually('the proxies', async () => {
      if (proxies.some(({ exitCode }) => exitCode !== null)) throw new Error('a proxy ended');
      for (const name of names) {
        const socket = connect({ port: ports[name]!, host: '127.0.0.1' });
        await once(socket, 'connect').finally(() => socket.destroy());
      }
      return true;
    });
  });
  afterAll(async () => {
    for (const proxy of proxies) {
      const exited = once(proxy, 'exit');
      proxy.kill('SIGTERM');
      await exited;
    }
    for (const service of services) await service.stop();
    rmSync(folder, { recursive: true });
  });

  const FORGED = 'forwarded: for=91.198.174.192\r\nx-forwarded-for: 91.198.174.192\r\n';
  it.each(['v1', 'v2', 'vectors', 'http', 'forwarded', 'nginx'])('is found through %s', async (name) => {
    for (const caller of CALLERS) {
      const answer = await send(ports[name]!, sourceLine(caller) + get('/json/', FORGED + LAST));
      expect(answer).toMatch(/^HTTP\/1\.1 200/);
      expect(answer).toContain(`{"ip":"${caller}"`);
    }
  });

  it('stays that of the connection for all requests on it', async () => {
    const socket = open(ports['v2']!, sourceLine('8.8.8.8') + get('/ip/'));
    const answer = text(socket);
    await once(socket, 'data');
    socket.write(get('/ip/', LAST));
    expect((await answer).match(/8\.8\.8\.8/g)).toHaveLength(2);
  });

  it('lets HAProxy check the service', async () => {
    await eventually('check', async () => {
      const stats = await send(ports['stats']!, sourceLine('127.0.0.1') + get('/stats;csv', LAST));
      return /^v2,service,.*,UP,.*,L7OK,/m.test(stats);
    });
  });

  it('is the one that is logged and limited', async () => {
    const status = async (caller: string) =>
      (await send(ports['v1']!, sourceLine(caller) + get('/json/', LAST))).slice(9, 12);
    await eventually('429', async () => (await status('1.1.1.1')) === '429');
    expect(await status('9.9.9.9')).toBe('200');
    const logged = services[0]!.lines.map((line) => line['caller']);
    expect(logged).toEqual(expect.arrayContaining(['1.1.1.0/24', '9.9.9.0/24']));
  });
});
