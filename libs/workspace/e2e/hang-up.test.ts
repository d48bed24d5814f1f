import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess, workspaceRoot } from '@workspace/testing';

/** Whether a process has a handler for SIGHUP. Without one, the signal ends it; before any JavaScript runs, Node has none. */
const catchesHangUp = (pid: number): boolean => {
  const [, caught = '0'] = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
};

describe.each(['release-web', 'ops-intake', 'ip-locate'])('SIGHUP to %s', (name) => {
  const dist = join(workspaceRoot, 'dist/apps', name);

  it('is no end of it before the first line of its own code', () => {
    const folder = mkdtempSync(join(tmpdir(), `${name}-`));
    try {
      cpSync(join(dist, 'package.json'), join(folder, 'package.json'));
      const main = readFileSync(join(dist, 'main.js'), 'utf8');
      const [first, ...others] = [...main.matchAll(/await import\("\.\/([^"]+)"\)/g)].map(([, file]) => file);
      writeFileSync(join(folder, 'main.js'), main.replaceAll(/^import ".*";$/gm, ''));
      // The kernel delivers it before the call returns.
      writeFileSync(join(folder, first!), `process.kill(process.pid, 'SIGHUP'); console.log('runs');`);
      for (const file of others) writeFileSync(join(folder, file!), '');
      expect(execFileSync(process.execPath, ['main.js'], { cwd: folder, encoding: 'utf8' })).toBe('runs\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is no end of it while it starts, however often it comes', async () => {
    for (let start = 0; start < 5; start += 1) {
      const service = startServiceProcess({
        args: [join(dist, 'main.js')],
        env: { DRAIN_DELAY_MS: '0', KAFKA_BOOTSTRAP_SERVERS: '127.0.0.1:9' },
      });
      const { pid } = service.child;
      while (!catchesHangUp(pid!)) await new Promise(setImmediate);
      let isReady = false;
      const ready = service.url().finally(() => (isReady = true));
      while (!isReady) {
        service.child.kill('SIGHUP');
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      }
      await ready;
      expect(await service.stop()).toBe(0);
    }
  });
});
