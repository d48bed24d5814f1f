import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { builtFile } from '@workspace/testing';

const server = createServer();
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const start = (line: string, stdin: 'pipe' | 'ignore' = 'ignore') => {
  const [name = '', ...args] = line.split(' ');
  const child = spawn(process.execPath, [builtFile('ip-locate', `${name}.js`), ...args], {
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stderr!), text(child.stdout!)]);
  return { child, result: ended.then(([[code], notes]) => ({ code: code as number, notes })) };
};
const update = (mirror: string): string => `ip-locate-data update --folder ${folder} --mirror ${mirror}`;
const silent = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const list = (): string => `${update(silent())} --databases anonymous --list tor=http://127.0.0.1:1/tor`;

it.each<[string, () => string, number, RegExp]>([
  ['no input', () => 'ip-locate', 0, /^0 lines in \S+ s\n$/],
  [
    'a file that does not exist',
    () => 'ip-locate nothing.txt',
    1,
    /^"nothing.txt" is neither a file nor an address\.\n$/,
  ],
  [
    'a server that is down',
    () => update('http://127.0.0.1:1'),
    1,
    /^(\S+: not updated: http:\S+: connect ECONNREFUSED \S+ 3 times\n){2}$/,
  ],
  [
    'a list whose server is down',
    list,
    1,
    /^\S+: not updated: http:\S+: connect ECONNREFUSED \S+ 3 times\n$/,
  ],
])('a command ends in its own words with %s', async (_title, line, code, words) => {
  expect(await start(line()).result).toEqual({ code, notes: expect.stringMatching(words) });
});

it.each<[string, () => ReturnType<typeof start>]>([
  ['a server', () => start(update(silent()))],
  ['input', () => start('ip-locate', 'pipe')],
])('a command that waits for %s ends in one line when it is interrupted', async (_title, begin) => {
  const { child, result } = begin();
  child.stdin?.on('error', () => undefined).write('8.8.8.8\n'.repeat(100_000));
  await (child.stdin ? once(child.stdout!, 'data') : once(server, 'request'));
  child.kill('SIGINT');
  expect(await result).toEqual({ code: 130, notes: '\nInterrupted.\n' });
});
