import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import type { Address } from '@workspace/ip-addresses';
import { hostAddress, reservedRange } from '../src/domain/special-ranges.ts';
import { packagedCityFiles } from '../test/databases.ts';
import { type RunningService, startService } from './service.ts';
import { describeWith, pythonProgram, runTool } from '@workspace/testing';
import { seededRandom } from '@workspace/testing/seeded-random';

const BATCH = 100;

type Answer = Record<string, unknown>;

/** Addresses for readers that take many in one process. */
const MANY = Number(process.env['DIFFERENTIAL_INPUTS'] ?? 10_000);
const SEED = Number(process.env['SEED'] || randomInt(2 ** 31));
const REFERENCES = join(__dirname, 'references');

/** Random public addresses, four out of five IPv4. */
const publicAddresses = (count: number): Address[] => {
  console.log(`addresses: seed ${SEED}`);
  const random = seededRandom(SEED);
  const addresses: Address[] = [];
  while (addresses.length < count) {
    const address = randomAddress(random() < 0.8 ? 4 : 6, random);
    // Of 6to4 and Teredo, the service looks up the address within.
    if (reservedRange(address) === undefined && hostAddress(address) === address) addresses.push(address);
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

/** The file as it was published; that of the service has the same entries in a smaller tree. */
const publishedFile = ({ family }: Address): string => packagedCityFiles[family === 4 ? 0 : 1]!;

/** The service rounds to five decimals. */
const near = (answer: unknown, expected: string | undefined): boolean =>
  expected === undefined ? answer === null : Math.abs(Number(answer) - Number(expected)) <= 1.1e-5;
const same = (answer: unknown, expected: string | undefined): boolean => (answer ?? '') === (expected ?? '');

describeWith(['python3'], 'random addresses, compared with Python', () => {
  it(`have the entries and the networks that maxminddb finds, ${MANY} of them`, async () => {
    const service = await startService();
    try {
      const addresses = publicAddresses(MANY);
      const answers = await batches(service, addresses);
      const python = await pythonProgram('python', 'maxminddb');
      const lines = addresses.map((address) => `${publishedFile(address)}\t${address.text}\n`).join('');
      const expected = (await runTool(python, [join(REFERENCES, 'entries.py')], lines))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as [Record<string, string | number> | null, number]);
      const differing = answers.filter((answer, at) => {
        const [entry, prefixLength] = expected[at]!;
        const { text } = addresses[at]!;
        return !(
          answer['ip'] === text &&
          same(answer['city'], String(entry?.['city'] ?? '')) &&
          same(answer['region'], String(entry?.['state1'] ?? '')) &&
          same(answer['country'], String(entry?.['country_code'] ?? '')) &&
          same(answer['postal'], String(entry?.['postcode'] ?? '')) &&
          near(answer['latitude'], entry?.['latitude'] as string | undefined) &&
          near(answer['longitude'], entry?.['longitude'] as string | undefined) &&
          (entry === null || String(answer['network']).endsWith(`/${prefixLength}`))
        );
      });
      expect(differing).toEqual([]);
      expect(expected.filter(([entry]) => entry !== null).length).toBeGreaterThan(MANY / 2);
    } finally {
      await service.stop();
    }
  });
});
