import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Reader, type Response } from 'mmdb-lib';
import { contains, parseAddress, parseNetwork } from '@workspace/ip-addresses';
import { seededRandom } from '@workspace/testing/seeded-random';
import { DataCommandTest } from '../../../test/data-command.ts';
import { asnMmdb, DAY, EPOCH } from '../../../test/databases.ts';
import { randomAddress } from '../../adapters/mmdb/sample-addresses.ts';
import { type MmdbValue, Uint, writeMmdb } from '../../adapters/mmdb/mmdb-writer.ts';
import { createDataUpdates } from '../data-updates/index.ts';
import { databaseDiff } from './index.ts';

const SEED = Number(process.env['SEED'] || 52);
const COUNTRIES = ['DE', 'AT', 'FR', 'RU', 'US'] as const;

const placeIn = (country: string, region = `${country} 1`): MmdbValue => ({
  country: { iso_code: country },
  subdivisions: [{ names: { en: region } }],
  location: { latitude: 48, longitude: 11 },
});
const PLACES = new Map(COUNTRIES.map((country) => [country as string, placeIn(country)]));

/** 20,000 blocks of both families, of all sizes, beside each other. */
const blocks = (): Map<string, string> => {
  const random = seededRandom(SEED);
  const pick = (): string => COUNTRIES[Math.floor(random() * COUNTRIES.length)]!;
  const made = new Map<string, string>();
  for (let at = 0; at < 16_000; at++)
    made.set(`${80 + (at >> 12)}.${(at >> 4) & 255}.${(at & 15) * 16}.0/${at % 16 === 5 ? 25 : 20}`, pick());
  for (let at = 0; at < 4_000; at++)
    made.set(`2a00:${at.toString(16)}::/${[32, 40, 48, 56][at % 4]}`, pick());
  return made;
};

const written = (places: ReadonlyMap<string, string>, epoch = EPOCH): Buffer =>
  writeMmdb({
    type: 'GeoLite2-City',
    epoch,
    entries: [...places].map(
      ([network, country]) =>
        [network, PLACES.get(country) ?? placeIn(country.slice(0, 2), country)] as const,
    ),
  });

let offered: Buffer;
const command = new DataCommandTest((_request, response) => response.end(gzipSync(offered)));
const run = (...args: string[]): Promise<number> =>
  command.run(args, [createDataUpdates({ attempts: 1 }), databaseDiff]);
const save = (name: string, content: Buffer | string): string => {
  writeFileSync(join(command.folder, name), content);
  return join(command.folder, name);
};

interface Line {
  readonly network: string;
  readonly old: { readonly country: string | null; readonly decision?: string };
  readonly new: { readonly country: string | null; readonly decision?: string };
}
const diffed = async (old: string, now: string, ...more: string[]): Promise<Line[]> => {
  expect(await run('diff', old, now, '--format', 'jsonl', ...more)).toBe(0);
  return command.out.map((line) => JSON.parse(line) as Line);
};

describe('ip-locate-data diff', () => {
  it('lists exactly the networks that move, of 1 % of them, and nothing of identical files', async () => {
    const before = blocks();
    const names = [...before.keys()];
    const moved = new Set(names.filter((_, at) => at % 100 === 7));
    const after = new Map(before);
    for (const network of moved) after.set(network, before.get(network) === 'US' ? 'DE' : 'US');
    const old = save('old.mmdb', written(before));
    const now = save('new.mmdb', written(after));
    const lines = await diffed(old, now);
    const expected = [...moved].map((network) => `${network} ${before.get(network)} ${after.get(network)}`);
    const listed = lines.map(({ network, old: from, new: to }) => `${network} ${from.country} ${to.country}`);
    expect(listed.toSorted()).toEqual(expected.toSorted());
    expect(await diffed(old, old)).toEqual([]);
    expect(command.progress.at(-2)).toContain('100 %');

    // The same of random addresses by mmdb-lib, the reader of MaxMind's own library.
    const readers = [old, now].map((file) => new Reader<Response>(readFileSync(file)));
    const networks = lines.map(({ network }) => parseNetwork(network)!);
    const random = seededRandom(SEED);
    let differing = 0;
    for (let count = 0; count < 10_000; count++) {
      const near = parseNetwork(names[Math.floor(random() * names.length)]!)!;
      const address = randomAddress(near.family, random);
      near.bytes.forEach(
        (byte, at) => (address.bytes[at] = at < near.length >> 3 ? byte : address.bytes[at]!),
      );
      const text =
        near.family === 4
          ? address.bytes.join('.')
          : Buffer.from(address.bytes)
              .toString('hex')
              .replace(/(.{4})(?!$)/g, '$1:');
      const parsed = parseAddress(text)!;
      const [from, to] = readers.map((reader) => JSON.stringify(reader.get(text)));
      const isListed = networks.some((network) => contains(network, parsed));
      if (isListed !== (from !== to)) throw new Error(`${text}: ${isListed ? 'listed' : 'not listed'}`);
      differing += Number(isListed);
    }
    expect(differing).toBeGreaterThan(20);
  });

  it('counts addresses and /48s by pair of countries', async () => {
    const old = save(
      'old.mmdb',
      written(
        new Map([
          ['80.0.0.0/16', 'DE'],
          ['81.0.0.0/16', 'FR'],
          ['2a00::/32', 'DE'],
          ['2a01::/56', 'DE'],
        ]),
      ),
    );
    const now = save(
      'new.mmdb',
      written(
        new Map([
          ['80.0.0.0/16', 'DE'],
          ['80.0.1.0/24', 'US'],
          ['80.0.2.0/24', 'DE 2'],
          ['82.0.0.0/24', 'AT'],
          ['2a00::/32', 'DE'],
          ['2a00:0:1::/48', 'RU'],
          ['2a01::/56', 'AT'],
        ]),
      ),
    );
    expect(await run('diff', old, now)).toBe(0);
    expect(command.out).toEqual([
      'IPv4 addresses: 50.49 % of 131,328 move (66,304)',
      'IPv6 /48s: < 0.01 % of 65,536 move (1)',
      'Countries:',
      '  FR -> unknown: 65,536 IPv4 addresses',
      '  DE -> US: 256 IPv4 addresses',
      '  DE, another region or operator: 256 IPv4 addresses',
      '  unknown -> AT: 256 IPv4 addresses',
      '  DE -> RU: 1 IPv6 /48s',
      '  DE -> AT: < 0.01 IPv6 /48s',
    ]);
    expect(await run('diff', old, now, '--format', 'csv')).toBe(0);
    expect(command.out.slice(0, 3)).toEqual([
      'network,old_country,old_region,old_asn,old_decision,new_country,new_region,new_asn,new_decision',
      '80.0.1.0/24,DE,DE 1,,,US,US 1,,',
      '80.0.2.0/24,DE,DE 1,,,DE,DE 2,,',
    ]);
    expect(command.notes).toEqual([
      'IPv4 addresses: 50.49 % of 131,328 move (66,304)',
      'IPv6 /48s: < 0.01 % of 65,536 move (1)',
    ]);
  });

  it('says about which networks rules decide otherwise, in parts where a rule names one', async () => {
    const rules = save('rules.txt', 'allow 80.0.1.128/25 AS64500\ndeny RU\n');
    const old = save(
      'old.mmdb',
      written(
        new Map([
          ['80.0.0.0/22', 'DE'],
          ['81.0.0.0/24', 'DE'],
        ]),
      ),
    );
    const now = save(
      'new.mmdb',
      written(
        new Map([
          ['80.0.0.0/22', 'DE'],
          ['80.0.1.0/24', 'RU'],
          ['81.0.0.0/24', 'AT'],
        ]),
      ),
    );
    const asn = save(
      'asn.mmdb',
      writeMmdb({
        type: 'GeoLite2-ASN',
        entries: [['80.0.1.0/26', { autonomous_system_number: new Uint(64500) }]],
      }),
    );
    expect(await run('diff', old, now, '--rules', rules)).toBe(2);
    expect(command.notes.join()).toContain('The rules name AS64500');
    const lines = await diffed(`${old},${asn}`, `${now},${asn}`, '--rules', rules);
    const decisions = lines.map(({ network, old: from, new: to }) => [network, from.decision, to.decision]);
    expect(decisions).toEqual([
      ['80.0.1.0/26', undefined, undefined],
      ['80.0.1.64/26', 'allow', 'deny'],
      ['80.0.1.128/25', undefined, undefined],
      ['81.0.0.0/24', undefined, undefined],
    ]);
    expect(await run('diff', `${old},${asn}`, `${now},${asn}`, '--rules', rules)).toBe(0);
    expect(command.out.slice(-2)).toEqual([
      'Decisions:',
      '  allow (no rule matches) -> deny (line 2: deny RU): 64 IPv4 addresses',
    ]);
  });

  it.each([
    [['diff', 'old.mmdb'], 2, 'diff needs two versions'],
    [['diff', 'old.mmdb', 'new.mmdb', '--format', 'xml'], 2, 'not "xml"'],
    [['diff', 'missing.mmdb', 'missing.mmdb'], 1, 'ENOENT'],
    [['diff', __filename, __filename], 1, 'not a MaxMind-format database'],
    [['update', '--folder', 'x', '--max-change', '2'], 2, '--max-change is a share such as 2%'],
    [['update', '--folder', 'x', '--max-change', '200%'], 2, 'not "200%"'],
    [['update', '--folder', 'x', '--max-rule-change', '1%'], 2, '--max-rule-change needs --rules'],
    [['update', '--folder', 'x', '--rules', 'rules.txt'], 2, '--rules needs --max-rule-change'],
    [
      ['update', '--folder', 'x', '--rules', __filename, '--max-rule-change', '1%'],
      2,
      '--rules: database-diff.test.ts, line 1:',
    ],
  ])('%j ends with %d: %s', async (args, code, message) => {
    expect(await run(...args)).toBe(code);
    expect(command.notes.join()).toContain(message);
  });
});

describe('ip-locate-data update --max-change', () => {
  const update = (...more: string[]): Promise<number> => {
    const named = `--city-url ${command.origin}/city.mmdb.gz --known-address 80.0.0.1`;
    const args = `update --folder ${command.folder} --databases city --source url ${named}`;
    return run(...args.split(' '), ...more);
  };
  const before = blocks();
  const installed = () => readFileSync(join(command.folder, 'city.mmdb'));

  it('installs a file that moves less, and keeps one that moves more beside the one in use', async () => {
    offered = written(before);
    expect(await update('--max-change', '2%')).toBe(0);
    const after = new Map(
      [...before].map(([network, country], at) => [network, at % 50 === 0 ? 'CH' : country]),
    );
    offered = written(after, EPOCH + DAY);
    expect(await update('--max-change', '1%')).toBe(3);
    const [path, waiting] = [join(command.folder, 'city.mmdb'), join(command.folder, 'city.mmdb.waiting')];
    expect(command.notes).toEqual([
      expect.stringMatching(
        /city\.mmdb: not updated: \d\.\d\d % of the addresses move, more than 1\.00 %\. /,
      ),
    ]);
    expect(command.notes[0]).toContain(
      `ip-locate-data diff ${path} ${waiting}; to install it: mv ${waiting} ${path}`,
    );
    expect(installed().equals(written(before))).toBe(true);
    expect(readFileSync(waiting).equals(offered)).toBe(true);
    expect(await update('--max-change', '5%')).toBe(0);
    expect(installed().equals(offered)).toBe(true);
    expect(() => readFileSync(waiting)).toThrow('ENOENT');
  });

  it('keeps a file about which rules decide otherwise', async () => {
    offered = written(before);
    expect(await update()).toBe(0);
    const rules = save('rules.txt', 'deny RU AS64496\n');
    offered = written(
      new Map([...before].map(([network, country]) => [network, country === 'RU' ? 'DE' : country])),
      EPOCH + DAY,
    );
    expect(await update('--max-rule-change', '1%', '--rules', rules)).toBe(1);
    expect(command.notes.join()).toContain('The rules name AS64496');
    save('asn.mmdb', asnMmdb());
    expect(await update('--max-rule-change', '1%', '--rules', rules)).toBe(3);
    expect(command.notes.join()).toContain('of the addresses are decided otherwise, more than 1.00 %');
    expect(await update('--max-rule-change', '50%', '--rules', rules)).toBe(0);
  });
});
