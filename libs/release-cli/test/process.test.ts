import { Readable, Writable } from 'node:stream';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataCopy, NOW } from '@workspace/release-catalogue/testing';
import { runProcess } from '../src/process.ts';

let data: DataCopy;
beforeEach(async () => {
  data = new DataCopy();
  await writeFile(join(data.folder, 'package.json'), '{ "version": "1.2.3" }');
});
afterEach(() => data.remove());

/** @param write what becomes of each text of the output */
const run = (args: readonly string[], write: (text: string) => Error | null): Promise<number> => {
  const output = () =>
    new Writable({ write: (text: Buffer, _encoding, done) => done(write(text.toString())) });
  const parent = {
    argv: ['node', 'release-data', ...args, '--data', data.folder, '--yes'],
    env: {},
    once: () => undefined,
    stdin: Readable.from([]),
    stdout: output(),
    stderr: output(),
  };
  return runProcess(parent as unknown as NodeJS.Process, data.folder, NOW);
};

it('writes what it has to although the reader of its output has left, as `head` does', async () => {
  const news = ['add-news', 'Read by head', '--link', 'https://www.php.net/', '--summary', 'Text.'];
  const code = await run(news, () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(code).toBe(0);
  expect(await readFile(join(data.folder, 'news.json'), 'utf8')).toContain('Read by head');
});

it('shows no control characters of what it reads, which a terminal would obey', async () => {
  const manifest = join(data.folder, 'SHA256SUMS');
  await writeFile(manifest, '\u001b]0;title\u0007\u001b[2J\u009b2J\ttext');
  let shown = '';
  const code = await run(['promote', '8.4.25', '--kind', 'bugfix', '--manifest', manifest], (text) => {
    shown += text;
    return null;
  });
  expect({ code, shown }).toEqual({
    code: 1,
    shown: expect.stringContaining('"\ufffd]0;title\ufffd\ufffd[2J\ufffd2J\ttext"'),
  });
});
