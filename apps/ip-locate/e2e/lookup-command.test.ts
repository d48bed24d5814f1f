import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { builtFile } from '@workspace/testing';
import { anonymousMmdb } from '../test/databases.ts';

const COMMAND = builtFile('ip-locate', 'ip-locate.js');

/** Runs the built command with this input. */
const run = async (args: readonly string[], input = '') => {
  const child = spawn(process.execPath, [COMMAND, ...args]);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end(input);
  const [out, notes, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { out, notes, code };
};

describe('ip-locate', () => {
  it('adds locations to lines of text', async () => {
    const { out, notes, code } = await run(['--fields', 'ip,city,asn'], '8.8.8.8\n\n10.0.0.1\n');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { ip: '8.8.8.8', city: 'Mountain View', asn: 'AS15169' },
      { error: true, reason: 'Reserved IP Address', ip: '10.0.0.1' },
    ]);
    expect(notes).toMatch(/^3 lines in [\d.]+ s, 1 with an error\n$/);
    expect(code).toBe(0);
  });

  it.each([
    [['8.8.8.8'], ['8.8.8.8']],
    [
      ['8.8.8.8', '2001:4860:4860::8888'],
      ['8.8.8.8', '2001:4860:4860::8888'],
    ],
    [
      ['8.8.8.8,1.1.1.1', '--input', 'csv'],
      ['8.8.8.8', '1.1.1.1'],
    ],
  ])('locates the addresses %j', async (args, expected) => {
    const { out, code } = await run(['--fields', 'ip', ...args]);
    expect([out, code]).toEqual([expected.map((ip) => `{"ip":"${ip}"}\n`).join(''), 0]);
  });

  it.each([
    [['8.8.8'], '"8.8.8" is neither a file nor an address.\n', 1],
    [['8.8.8.8', 'x'], 'Name one FILE, or addresses only. `ip-locate --help` shows what is possible.\n', 2],
  ])('says what is wrong with %j', async (args, message, expected) => {
    const { notes, code } = await run(args);
    expect([notes, code]).toEqual([message, expected]);
  });

  it('tells no more than --precision', async () => {
    const { out, notes } = await run(['--precision', 'city', '--fields', 'city,latitude'], '8.8.8.8\n');
    expect(JSON.parse(out)).toEqual({ city: 'Mountain View', latitude: 37.4 });
    expect(notes).toMatch(/^1 line in [\d.]+ s\n$/);
  });

  it('says what addresses are used for, by files of their own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    try {
      const file = join(folder, 'anonymous.mmdb');
      writeFileSync(file, anonymousMmdb());
      const { out, code } = await run(
        ['--anonymous-database', file, '--fields', 'is_hosting_provider'],
        '80.1.0.1\n',
      );
      expect([out, code]).toEqual(['{"is_hosting_provider":true}\n', 0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads a file of 50,000 addresses, and stops when its output is closed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    try {
      const file = join(folder, 'addresses.csv');
      writeFileSync(file, `ip\n${'8.8.8.8\n'.repeat(50_000)}`);
      const { out } = await run(['--input', 'csv', '--fields', 'country', file]);
      expect(out).toBe(`ip,country,error\r\n${'8.8.8.8,US,\r\n'.repeat(50_000)}`);
      const head = await promisify(execFile)('sh', [
        '-c',
        `"${process.execPath}" "${COMMAND}" "${file}" | head -n 1`,
      ]);
      expect(head.stderr).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    [['--input', 'xml'], '--input must be text, ndjson or csv, not "xml".', 2],
    [['--precision', 'street'], '--precision must be country, region, city or full, not "street".', 2],
    [['--fields', 'nonsense'], '"nonsense" is not a field. Fields: ip, network, ', 2],
    [['--fields', 'ip,cuontry'], 'Did you mean "country"?', 2],
    [['--fields', 'ip,hostname'], 'hostname is not available offline.', 2],
    [['--nonsense'], "Unknown option '--nonsense'.", 2],
    [['--feilds', 'ip'], 'Did you mean "--fields"?', 2],
    [['--database', '/nowhere.mmdb'], 'ENOENT', 1],
    [[tmpdir()], 'The input is a folder.', 1],
    [['--database', builtFile('ip-locate')], 'not a MaxMind-format database', 1],
  ])('%j is an error', async (args, message, expected) => {
    const { out, notes, code } = await run(args);
    expect([out, code]).toEqual(['', expected]);
    expect(notes).toContain(message);
  });

  it('does not take a folder for an empty input', () => {
    const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${COMMAND}" < "${tmpdir()}"`]);
    expect([status, String(stderr)]).toEqual([1, 'The input is a folder.\n']);
  });

  describe.each([COMMAND, builtFile('ip-locate', 'ip-locate-data.js')])('the help of %s', (command) => {
    it('ends quietly when its reader has gone', async () => {
      const child = spawn(process.execPath, [command, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      const exit = once(child, 'close');
      expect([await text(child.stderr), await exit]).toEqual(['', [0, null]]);
    });

    it('fits 80 columns', () => {
      const { stdout } = spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8' });
      const lines = stdout.split('\n');
      expect(lines.length).toBeGreaterThan(30);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
    });

    it('reports a full disk in one line', () => {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [command, '--help'], {
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      expect([status, String(stderr)]).toEqual([1, 'ENOSPC: no space left on device, write\n']);
    });
  });
});
