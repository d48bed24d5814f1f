import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAhead } from '../src/adapters/mmdb/read-ahead.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'read-ahead-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string, secondsAgo = 7_200): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  const time = Date.now() / 1_000 - secondsAgo;
  utimesSync(path, time, time);
  return path;
};

it('gives a file and its state once', async () => {
  const path = write('a.mmdb', 'content');
  const take = readAhead([path], 1_000);
  const { mtimeMs } = statSync(path);
  expect(await take(path)).toMatchObject({ stats: { mtimeMs }, bytes: Buffer.from('content') });
  expect(take(path)).toBeUndefined();
});

it('leaves out what is missing, empty, no file or perhaps being written', () => {
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  for (const path of [join(folder, 'missing'), write('empty', ''), folder, fifo, write('new', 'x', 0)])
    expect(readAhead([path], 3_600_000)(path)).toBeUndefined();
});

it('leaves a thread to Node', () => {
  const paths = ['a', 'b', 'c', 'd'].map((name) => write(name, name));
  const take = readAhead(paths, 1_000);
  expect(paths.map((path) => take(path) !== undefined)).toEqual([true, true, true, false]);
});
