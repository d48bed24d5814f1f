import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { exclusively } from './exclusively.ts';

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('runs one task at a time, and each of them', async () => {
  let running = 0;
  let most = 0;
  const results = await Promise.all(
    [1, 2, 3].map((number) =>
      exclusively(lock, async () => {
        most = Math.max(most, ++running);
        await nextTurn();
        running -= 1;
        return number;
      }),
    ),
  );
  expect({ results, most }).toEqual({ results: [1, 2, 3], most: 1 });
});

it('frees the lock when a task fails', async () => {
  const failing = () => Promise.reject(new Error('no'));
  await expect(exclusively(lock, failing)).rejects.toThrow('no');
  expect(await exclusively(lock, () => Promise.resolve('free'))).toBe('free');
});

it('can be taken by everyone who may write to the folder, whatever the umask is', async () => {
  chmodSync(folder, 0o770);
  const umask = process.umask(0o077);
  try {
    await exclusively(lock, () => Promise.resolve());
  } finally {
    process.umask(umask);
  }
  expect(statSync(lock).mode & 0o777).toBe(0o660);
});

it('fails for the reason of the operating system when the file cannot be written', async () => {
  const task = jest.fn();
  const inNoFolder = exclusively(join(folder, 'missing', 'lock'), task);
  await expect(inNoFolder).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' });
  await expect(exclusively(folder, task)).rejects.toMatchObject({ code: 'EISDIR', syscall: 'open' });
  expect(task).not.toHaveBeenCalled();
});

it('frees the lock when its process is killed', async () => {
  const holder = spawn(
    process.execPath,
    [
      '-e',
      `const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
       database.exec('BEGIN EXCLUSIVE');
       console.log('locked');
       setInterval(() => {}, 1000);`,
      lock,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  await once(holder.stdout, 'data');
  let isDone = false;
  const task = exclusively(lock, () => Promise.resolve((isDone = true)));
  await nextTurn();
  expect(isDone).toBe(false);
  holder.kill('SIGKILL');
  expect(await task).toBe(true);
});

it('writes nothing to the disk, which may be full', async () => {
  const files = await exclusively(lock, () =>
    Promise.resolve(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size])),
  );
  expect(files).toEqual([['lock', 0]]);
});
