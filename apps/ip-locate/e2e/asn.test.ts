import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import { createRandom, randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import { hostAddress, reservedRange } from '../src/domain/special-ranges.ts';
import { type RunningService, startService } from './service.ts';

const PACKAGE = join(workspaceRoot, 'node_modules/@ip-location-db/asn');
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

const rowOf = (rows: readonly Row[], address: bigint): Row | undefined => {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.last ?? 0n) < address) low = middle + 1;
    else high = middle;
  }
  const row = rows[low];
  return row && row.first <= address ? row : undefined;
};

describe('the bundled ASN database', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('agrees with the rows of ip-location-db on 1,000 random addresses of each family', async () => {
    const random = createRandom(Date.now() & 0x7fffffff);
    for (const family of [4, 6] as const) {
      const rows = rowsOf(family);
      const addresses = Array.from({ length: 1_000 }, () => randomAddress(family, random)).filter(
        (address) => reservedRange(address) === undefined && hostAddress(address) === address,
      );
      const expected = addresses.map(({ text, bytes }) => {
        const row = rowOf(rows, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
        return { ip: text, asn: row?.asn ?? null, org: row?.org ?? null };
      });
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
      if (family === 4) expect(expected.filter(({ asn }) => asn !== null).length).toBeGreaterThan(300);
    }
  });
});
