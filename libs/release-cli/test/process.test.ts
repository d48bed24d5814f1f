import { Readable, Writable } from 'node:stream';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataCopy, NOW } from '@workspace/release-catalogue/testing';
import { runProcess } from '../src/process.ts';

it('writes what it has to although the reader of its output has left, as `head` does', async () => {
  const data = new DataCopy();
  await writeFile(join(data.folder, 'package.json'), '{ "version": "1.2.3" }');
  const left = () =>
    new Writable({
      write: (_text, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
  const argv = ['add-news', 'Read by head', '--link', 'https://www.php.net/', '--summary', 'Text.', '--yes'];
  const parent = {
    argv: ['node', 'release-data', ...argv, '--data', data.folder],
    env: {},
    stdin: Readable.from([]),
    stdout: left(),
    stderr: left(),
  };
  const code = await runProcess(parent as unknown as NodeJS.Process, data.folder, NOW);
  expect(code).toBe(0);
  expect(await readFile(join(data.folder, 'news.json'), 'utf8')).toContain('Read by head');
  data.remove();
});
