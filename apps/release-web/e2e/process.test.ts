import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile as execFileCallback, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { eventually, startServiceProcess, workspaceRoot } from '@workspace/testing';
import { startService } from './service.ts';

const execFile = promisify(execFileCallback);
const BUILT = join(workspaceRoot, 'dist/apps/release-web');

describe('the process', () => {
  it('ends with 0 on SIGTERM though a FIFO lies among the data', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'release-web-'));
    await cp(join(BUILT, 'data'), folder, { recursive: true });
    const service = await startService({ DATA_DIR: folder, FILE_POLL_MS: '50' });
    await execFile('mkfifo', [join(folder, 'branches/9.9.json')]);
    await service.logged('the new data is invalid; still serving the last valid data');
    expect(await service.stop()).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('serves the data that was built in, says so when it is old, and ends with 0 on SIGTERM', async () => {
    const env = { DRAIN_DELAY_MS: '0', DATA_STALE_DAYS: '1' };
    const service = startServiceProcess({ args: [join(BUILT, 'main.js')], env });
    const answer = await fetch(`${await service.url()}/releases/branches.php`);
    const branches = (await answer.json()) as { branch: string }[];
    expect(branches.length).toBeGreaterThanOrEqual(24);
    expect(branches.at(-1)!.branch).toBe('3.0');
    const { revision } = await service.logged('release data loaded');
    const days = Math.floor((Date.now() - Date.parse(String(revision))) / 86_400_000);
    expect(service.lines.some(({ msg }) => msg.startsWith('the bundled data is old'))).toBe(days > 1);
    expect(await service.stop()).toBe(0);
  });

  it('describes itself once it can open files again', async () => {
    const service = startServiceProcess({
      node: 'bash',
      args: ['-c', 'ulimit -n 64; exec "$@"', 'bash', process.execPath, join(BUILT, 'main.js')],
      env: { DRAIN_DELAY_MS: '0' },
    });
    const { port } = new URL(await service.url());
    const open = () => connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const client = open().setEncoding('utf8');
    const others = Array.from({ length: 64 }, open);
    const descriptors = () => readdirSync(`/proc/${service.child.pid}/fd`).length;
    await eventually('process without a free descriptor', () => descriptors() >= 64);
    client.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(String(await once(client, 'data'))).toMatch(/^HTTP\/1.1 500 /);
    for (const socket of [client, ...others]) socket.destroy();
    const status = async () => (await fetch(`http://127.0.0.1:${port}/openapi.json`)).status;
    expect(await eventually('answer', async () => (await status()) === 200)).toBe(true);
    expect(await service.stop()).toBe(0);
  });

  it('lists every violation of the environment, and exits with 1', async () => {
    const child = spawn(process.execPath, [join(BUILT, 'main.js')], {
      env: {
        PATH: process.env['PATH'],
        PORT: 'abc',
        PRE_RELEASE_SHAPE: 'flat',
        PUBLIC_BASE_URL: 'example',
        FILE_POLL_MS: '1',
        DRAIN_DELAY_MS: '20000',
      },
    });
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(1);
    for (const name of ['PORT', 'PRE_RELEASE_SHAPE', 'PUBLIC_BASE_URL', 'FILE_POLL_MS', 'DRAIN_DELAY_MS'])
      expect(complaint).toContain(name);
  });

  it('takes new data while it runs, keeps the last good through a bad edit, and heals', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'release-web-'));
    await cp(join(BUILT, 'data'), folder, { recursive: true });
    const service = await startService({ DATA_DIR: folder, FILE_POLL_MS: '50' });
    const file = join(folder, 'news.json');
    const good = JSON.parse(await readFile(file, 'utf8'));
    const feed = async () => (await fetch(`${service.url}/releases/feed.php`)).text();
    try {
      const before = await feed();
      await writeFile(file, '{');
      await service.logged('the new data is invalid; still serving the last valid data');
      expect(await feed()).toBe(before);
      const sick = (await (await fetch(`${service.url}/health`)).json()) as {
        status: string;
        checks: object;
      };
      expect(sick.status).toBe('warn');
      expect(JSON.stringify(sick.checks)).toContain('news.json');

      good.items.push({ ...good.items[0], id: 'tag:release-web,2026:news/e2e', title: 'Healed' });
      good.updated = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      await writeFile(file, JSON.stringify(good));
      await service.logged('serving new data');
      expect(await feed()).toContain('<title>Healed</title>');
      expect(await (await fetch(`${service.url}/health`)).json()).toMatchObject({ status: 'pass' });
    } finally {
      expect(await service.stop()).toBe(0);
      await rm(folder, { recursive: true });
    }
  });
});
