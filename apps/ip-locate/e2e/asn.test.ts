import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '@workspace/ip-addresses';
import { workspaceRoot } from '@workspace/testing';
import { seededRandom } from '@workspace/testing/seeded-random';
import { randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import { hostAddress, reservedRange } from '../src/domain/special-ranges.ts';
import { type RunningService, startService } from './service.ts';

const PACKAGE = join(workspaceRoot, 'node_modules/@ip-location-db/asn');
/** The gate sets the seed, so that the same commit is judged alike everywhere. */
const SEED = Number(process.env['SEED'] || randomInt(2 ** 31));
const ADDRESSES = Number(process.env['DIFFERENTIAL_INPUTS'] ?? 1_000);
const ROW = /^(\d+),(\d+),(\d+),(?:"(.*)"|(.*))$/;

interface Row {
  readonly first: bigint;
  readonly last: bigint;
  readonly asn: string;
  readonly org: string | null;
}

/** The rows of the files with numbers; the bundled database is made from those with addresses. */
const rowsOf = (family: 4 | 6): Row[] =>
  readFileSync(join(PACKAGE, `asn-ipv${family}-num.csv`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, first = '', last = '', asn = '', quoted, plain] = ROW.exec(line) ?? [];
      const org = (quoted?.replaceAll('""', '"') ?? plain ?? '').trim();
      return { first: BigInt(first), last: BigInt(last), asn: `AS${asn}`, org: org || null };
    });

const numberOf = ({ bytes }: Address): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** The row of each number; where rows overlap, the last one. @param numbers in ascending order */
const rowsOfNumbers = (rows: readonly Row[], numbers: readonly bigint[]): (Row | undefined)[] => {
  const found = numbers.map((): Row | undefined => undefined);
  for (const row of rows) {
    let low = 0;
    let high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle] ?? 0n) < row.first) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < numbers.length && (numbers[at] ?? 0n) <= row.last; at++) found[at] = row;
  }
  return found;
};

describe('the bundled ASN database', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it(`agrees with the rows of ip-location-db on ${ADDRESSES} random addresses of each family`, async () => {
    console.log(`addresses: seed ${SEED}`);
    const random = seededRandom(SEED);
    for (const family of [4, 6] as const) {
      const rows = rowsOf(family);
      const addresses = Array.from({ length: ADDRESSES }, () => randomAddress(family, random))
        .filter((address) => reservedRange(address) === undefined && hostAddress(address) === address)
        .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
      const found = rowsOfNumbers(rows, addresses.map(numberOf));
      const expected = addresses.map(({ text }, at) => ({
        ip: text,
        asn: found[at]?.asn ?? null,
        org: found[at]?.org ?? null,
      }));
      const answers: unknown[] = [];
      for (let at = 0; at < addresses.length; at += 100) {
        const reply = await fetch(`${service.url}/batch?fields=ip,asn,org`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(addresses.slice(at, at + 100).map(({ text }) => text)),
        });
        answers.push(...((await reply.json()) as unknown[]));
      }
      expect(answers).toEqual(expected);
      if (family === 4)
        expect(expected.filter(({ asn }) => asn !== null).length).toBeGreaterThan(ADDRESSES * 0.3);
    }
  });
});
