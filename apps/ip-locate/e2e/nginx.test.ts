import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOCUMENTATION } from '../test/documents.ts';
import { keyFile, type KeyFile } from './key-file.ts';
import { type RunningService, startService } from './service.ts';
import { describeWith, freePort } from '@workspace/testing';

const KEYS = { country: 'a-key-for-countries', city: 'a-key-for-cities', plain: 'a-key-like-no-key' };

/** The documented example. */
const [, EXAMPLE = ''] = /^```nginx\n([\s\S]*?)^```$/m.exec(DOCUMENTATION) ?? [];

/**
 * The documented example in a server of its own. `realip` plays the Internet: it makes nginx take the caller for the one
 * that the test's header `x-test-caller` names, so that $remote_addr is a public address on this machine.
 */
const configuration = (folder: string, port: number, service: number, cache: number) => `
daemon off;
pid ${folder}/pid;
error_log stderr notice;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  set_real_ip_from 127.0.0.1;
  real_ip_header X-Test-Caller;
  server {
    listen 127.0.0.1:${port};
    ${EXAMPLE.replace('127.0.0.1:3002', `127.0.0.1:${service}`)}
  }
  proxy_cache_path ${folder}/cache keys_zone=answers:1m use_temp_path=off;
  server {
    listen 127.0.0.1:${cache};
    proxy_cache answers;
    add_header X-Cache $upstream_cache_status;
    location / { proxy_pass http://127.0.0.1:${service}; }
  }
}
`;

describeWith(['nginx'], 'behind nginx', () => {
  let folder: string;
  let service: RunningService;
  let nginx: ChildProcess;
  let front: string;
  let cache: string;
  let keys: KeyFile;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ip-locate-nginx-'));
    // Workers of an nginx that root starts run as another user, and have to reach their cache.
    chmodSync(folder, 0o755);
    keys = keyFile({ [KEYS.country]: 'country', [KEYS.city]: '0 city', [KEYS.plain]: '' });
    service = await startService({ TRUST_PROXY: 'loopback', API_KEYS_FILE: keys.path });
    const port = await freePort();
    const cachePort = await freePort();
    front = `http://127.0.0.1:${port}`;
    cache = `http://127.0.0.1:${cachePort}`;
    writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, service.port, cachePort));
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    await started(nginx);
  });
  afterAll(async () => {
    const exited = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await exited;
    await service.stop();
    keys.remove();
    rmSync(folder, { recursive: true });
  });

  const get = async (path: string, caller: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${front}${path}`, { headers: { 'x-test-caller': caller, ...headers } });
    return { status: reply.status, text: await reply.text() };
  };

  it('stores the answer without a key only, and hands it to no key with a precision of its own', async () => {
    const ask = async (headers: Record<string, string> = {}, query = '') => {
      const reply = await fetch(`${cache}/8.8.8.8/json/?fields=city,latitude${query}`, { headers });
      return [reply.headers.get('x-cache'), ...Object.values((await reply.json()) as object)];
    };
    const full = ['Mountain View', 37.422];
    expect([await ask(), await ask()]).toEqual([
      ['MISS', ...full],
      ['HIT', ...full],
    ]);
    for (const round of ['first', 'second']) {
      for (const header of ['x-api-key', 'authorization']) {
        const sent = (key: string) => ({ [header]: header === 'authorization' ? `Bearer ${key}` : key });
        expect([round, header, await ask(sent(KEYS.country))]).toEqual([round, header, ['MISS', null, null]]);
        const city = ['MISS', 'Mountain View', 37.4];
        expect([round, header, await ask(sent(KEYS.city))]).toEqual([round, header, city]);
        expect([round, header, await ask(sent(KEYS.plain))]).toEqual([round, header, ['MISS', ...full]]);
      }
      expect(await ask({}, `&key=${KEYS.country}`)).toEqual(['MISS', null, null]);
      expect(await ask()).toEqual(['HIT', ...full]);
    }
  });

  it('locates the caller that nginx sees', async () => {
    const { status, text } = await get('/geo/json/', '8.8.8.8');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ ip: '8.8.8.8', country: 'US' });
    expect((await get('/geo/ip/', '8.8.8.8', { 'x-forwarded-for': '1.1.1.1, 9.9.9.9' })).text).toBe(
      '8.8.8.8',
    );
  });
});

/** Resolves when nginx logs that its workers run. */
const started = async (nginx: ChildProcess): Promise<void> => {
  let log = '';
  for await (const chunk of nginx.stderr ?? []) {
    log += String(chunk);
    if (log.includes('start worker process ')) {
      nginx.stderr?.resume();
      return;
    }
  }
  throw new Error(`nginx did not start: ${log}`);
};
