import { cp, mkdtemp, rm } from 'node:fs/promises';
import { execFile as execFileCallback } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
});
