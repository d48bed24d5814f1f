import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './file-lock.ts';
import { startSupervisor } from './supervised.ts';

describe('startSupervisor', () => {
  it('runs programs, reports their end, and removes what is left', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'supervised-'));
    const log = join(folder, 'log');
    const supervisor = startSupervisor(folder);

    const short = await supervisor.run(
      [process.execPath, '-e', 'console.log("hello"); process.exitCode = 3'],
      log,
    );
    expect(await short.exited).toEqual({ code: 3, signal: null });
    expect(readFileSync(log, 'utf8')).toBe('hello\n');

    const endless = await supervisor.run([process.execPath, '-e', 'setInterval(() => 0, 1000)'], log);
    expect(isAlive(endless.pid)).toBe(true);
    await supervisor.close();
    expect(await endless.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(isAlive(endless.pid)).toBe(false);
    expect(existsSync(folder)).toBe(false);
    await supervisor.close();
  });

  it('rejects a program that does not exist', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'supervised-'));
    const supervisor = startSupervisor(folder);
    await expect(supervisor.run(['/no/such/program'], join(folder, 'log'))).rejects.toThrow('ENOENT');
    await supervisor.close();
  });
});
