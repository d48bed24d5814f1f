import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { describeWith } from '@workspace/testing';
import { RELEASE_DATA, runReleaseData } from './release-data.ts';

const DEAD = 'http://127.0.0.1:1';
const CODES = [0, 1, 2];
/** What Node prints of an error that nobody handles. */
const UNHANDLED = /^\s+at |Error:|Unhandled|unsettled/m;

let data: DataCopy;
let folder: string;
beforeAll(() => {
  data = new DataCopy();
  folder = mkdtempSync(join(tmpdir(), 'commands-'));
  cpSync(data.folder, join(folder, 'data'), { recursive: true });
});
afterAll(() => {
  data.remove();
  rmSync(folder, { recursive: true });
});

/** The example of every command, from the command's own help; nothing answers at the addresses. */
const examples = async (): Promise<{ line: string; asks: boolean }[]> => {
  const { out } = await runReleaseData(['--help']);
  const names = [...out.matchAll(/^ {2}([a-z]+(?:-[a-z]+)*) {2,}\S.*$/gm)].map(([, name]) => name!);
  const helps = await Promise.all(names.map((name) => runReleaseData([name, '--help'])));
  return helps.map(({ out: help }) => ({
    line: /^Example: release-data ((?:.*\\\n)*.*)$/m
      .exec(help)![1]!
      .replace(/ *\\\n */g, ' ')
      .replace(/https?:\/\/[^/' ]+/g, DEAD)
      .replace(' --dry-run', '')
      // All instants would take minutes.
      .replace(/^export .*/, '$& --at 2026-12-01T00:00:00Z'),
    asks: help.includes('--yes'),
  }));
};

/** Runs a command line of a shell, on a terminal when keys are given, which are pressed when it asks. */
const run = async (line: string, keys?: string) => {
  const command = `'${process.execPath}' '${RELEASE_DATA}' ${line}`;
  const [program, args] =
    keys === undefined ? ['sh', ['-c', `${command} <&-`]] : ['script', ['-qefc', command, '/dev/null']];
  const child = spawn(program as string, args as string[], { cwd: folder });
  let output = '';
  let asked = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (asked || !output.includes('[y/N]')) return;
      asked = true;
      child.stdin.write(keys ?? '');
    });
  const [code] = (await once(child, 'close')) as [number];
  return { line, code, output: output.replace(/\r|\u001b\[[\d;]*[A-Za-z]/g, ''), asked };
};

describeWith(['script'], 'every command of release-data', () => {
  it('ends in its own words with stdin closed and a server that is down', async () => {
    const more = [
      `import --tuf ${DEAD} --root root.json`,
      `tuf fetch ${DEAD} releases/feed.json --root root.json --state state`,
      `announce ${DEAD}`,
    ];
    cpSync(join(folder, 'data/product.json'), join(folder, 'root.json'));
    const results = await Promise.all(
      [...(await examples()).map(({ line }) => line), ...more].map((line) => run(line)),
    );
    for (const { line, code, output } of results) {
      expect({ line, code, output }).toEqual({
        line,
        code: CODES.find((one) => one === code),
        output: expect.not.stringMatching(UNHANDLED),
      });
    }
  });

  it.each([
    ['Ctrl-C', '\u0003', 130, /\[y\/N\] \nInterrupted\.\n$/],
    ['Ctrl-D', '\u0004', 1, /\[y\/N\] \nNot confirmed\.\nNothing was written\.\n$/],
  ])('ends in its own words after %s', async (_title, key, ended, words) => {
    const results = await Promise.all(
      (await examples()).filter(({ asks }) => asks).map(({ line }) => run(line, key)),
    );
    for (const { line, code, output, asked } of results) {
      const expected = asked
        ? { code: ended, output: expect.stringMatching(words) }
        : { code: CODES.find((one) => one === code), output: expect.not.stringMatching(UNHANDLED) };
      expect({ line, code, output }).toEqual({ line, ...expected });
    }
    expect(results.filter(({ asked }) => asked).map(({ line }) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['add-news']),
    );
  });

  it('ends in one line when it is interrupted while it waits for a server', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, [RELEASE_DATA, 'import', '--url', url], { cwd: folder });
    let notes = '';
    child.stderr.on('data', (text) => (notes += String(text)));
    await once(server, 'request');
    child.kill('SIGINT');
    expect([await once(child, 'close'), notes]).toEqual([[130, null], '\nInterrupted.\n']);
    server.closeAllConnections();
    server.close();
  });
});
