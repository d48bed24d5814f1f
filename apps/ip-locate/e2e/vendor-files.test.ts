import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, runTool } from '@workspace/testing';
import { UnusableFiles } from '@workspace/service-process';
import { AnonymousFile, openAnonymousDatabase } from '../src/features/traits/anonymous-database.ts';
import { asnReaders, openAsnDatabase } from '../src/adapters/mmdb/asn-database.ts';
import { CityFile, openCityDatabase } from '../src/adapters/mmdb/city-database.ts';
import { openFurtherDatabase } from '../src/adapters/mmdb/further-database.ts';
import { type MmdbFile, openMmdb } from '../src/adapters/mmdb/mmdb-file.ts';
import { networkReaders } from '../src/adapters/mmdb/network-database.ts';
import { LANGUAGES } from '../src/domain/language.ts';
import { differences } from '../test/networks.ts';

const READERS = {
  city: (file: MmdbFile) => new CityFile(file).readers(),
  network: networkReaders,
  operator: asnReaders,
};

/** The source distribution of MaxMind's Python reader has the files that MaxMind tests its readers with. */
const SOURCE = 'maxminddb==3.2.0';

const OPEN = { operator: openAsnDatabase, anonymous: openAnonymousDatabase };

describeWith(['python3', 'tar'], 'MaxMind’s own test files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ip-locate-'));
  let files: string[];
  const named = (name: string) => readFileSync(files.find((file) => file.endsWith(`/${name}.mmdb`))!);

  beforeAll(async () => {
    const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', 'maxminddb'];
    await runTool('python3', [...download, '--dest', folder, SOURCE]);
    const archive = readdirSync(folder).find((name) => name.endsWith('.tar.gz'))!;
    execFileSync('tar', ['xzf', join(folder, archive), '-C', folder]);
    files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.mmdb'))
      .map((name) => join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['GeoLite2-City-Test', 'city'],
    ['GeoIP2-City-Test', 'city'],
    ['GeoIP2-Enterprise-Test', 'city'],
    ['GeoIP2-Precision-Enterprise-Test', 'city'],
    ['GeoIP2-City-Shield-Test', 'city'],
    ['GeoLite2-Country-Test', 'city'],
    ['GeoIP2-Country-Test', 'city'],
    ['GeoIP2-Country-Shield-Test', 'city'],
    ['GeoIP2-Connection-Type-Test', 'network'],
    ['GeoIP2-Domain-Test', 'network'],
    ['GeoLite2-ASN-Test', 'operator'],
    ['GeoIP2-ISP-Test', 'operator'],
    ['GeoIP2-Anonymous-IP-Test', 'anonymous'],
    ['GeoIP-Anonymous-Plus-Test', 'anonymous'],
  ] as const)('%s: both readers read the same in every network', async (name, model) => {
    const bytes = named(name);
    const file = openMmdb(bytes);
    const readers = model === 'anonymous' ? new AnonymousFile(file).readers() : READERS[model](file);
    const { networks, found } = differences(file, readers, model === 'city' ? LANGUAGES : ['en']);
    expect(found).toEqual([]);
    expect(networks).toBeGreaterThan(100);
    console.log(`${name}: ${networks} networks`);
    const open = OPEN[model as keyof typeof OPEN] ?? openFurtherDatabase;
    await expect(open([{ name, bytes }])).resolves.toBeDefined();
  });

  it('those that are broken are rejected', async () => {
    const broken = files.filter((file) => /bad-data|[Bb]roken|Invalid/.test(file));
    expect(broken.length).toBeGreaterThan(10);
    for (const name of broken) {
      await expect(openCityDatabase([{ name, bytes: readFileSync(name) }])).rejects.toThrow(UnusableFiles);
    }
  });
});
