import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, withFileLock } from './file-lock.ts';

describe('withFileLock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'file-lock-'));
  const file = join(folder, 'lock');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('lets one in after the other', async () => {
    const events: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      events.push(`${name} in`);
      await new Promise(setImmediate);
      events.push(`${name} out`);
    };
    await Promise.all([withFileLock(file, work('a')), withFileLock(file, work('b'))]);
    expect(events.map((event) => event.slice(2))).toEqual(['in', 'out', 'in', 'out']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gives the lock back when the work fails', async () => {
    const failing = withFileLock(file, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over from a process that died', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    expect(isAlive(pid)).toBe(false);
    writeFileSync(file, String(pid));
    expect(await withFileLock(file, () => Promise.resolve(readFileSync(file, 'utf8')))).toBe(
      String(process.pid),
    );
  });
});
