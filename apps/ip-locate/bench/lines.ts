/**
 * Measures the offline command with a million addresses, beside a reader in Go, on the same file of the bundled data.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtFile, workspaceRoot } from '@workspace/testing';
import { bundledData } from '../src/adapters/mmdb/bundled-data.ts';
import { createRandom, randomAddress } from '../src/adapters/mmdb/sample-addresses.ts';
import { reservedRange } from '../src/domain/special-ranges.ts';

const ADDRESSES = 1_000_000;

const folder = join(workspaceRoot, 'tmp/ip-locate');
const command = builtFile('ip-locate', 'ip-locate.js');
const database = bundledData(pathToFileURL(command).href).city?.[0];
if (database === undefined) throw new Error('the bundled data is not built: npx nx build ip-locate');

const all = join(folder, 'addresses.txt');

/** Random public IPv4 addresses, always the same ones. */
const writeAddresses = (): void => {
  if (existsSync(all)) return;
  mkdirSync(folder, { recursive: true });
  const random = createRandom();
  const addresses: string[] = [];
  while (addresses.length < ADDRESSES) {
    const address = randomAddress(4, random);
    if (reservedRange(address) === undefined) addresses.push(address.text);
  }
  writeFileSync(all, `${addresses.join('\n')}\n`);
};

writeAddresses();

interface Row {
  readonly what: string;
  readonly command: string;
}

/** Builds the reader in Go. */
const goReader = (): string => {
  const program = join(folder, 'go-reader');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: join(import.meta.dirname, 'go-reader') });
  return program;
};

const rows: Row[] = [
  {
    what: '`ip-locate`, eight fields as NDJSON',
    command: `"${process.execPath}" "${command}" --database "${database}" "${all}"`,
  },
  {
    what: '`ip-locate`, the country as CSV',
    command: `"${process.execPath}" "${command}" --database "${database}" --output csv --fields country "${all}"`,
  },
  {
    what: 'maxminddb-golang, the record as NDJSON',
    command: `"${goReader()}" "${database}" < "${all}"`,
  },
];

console.log(`Node ${process.version}, ${database.split('/').at(-1)}\n`);
console.log('| command | seconds | µs CPU per address |\n|---|---:|---:|');

/** Wall clock, and the CPU of user and system, of a shell command; its output is discarded. */
const measure = (line: string): { seconds: number; cpu: number } => {
  const script = `TIMEFORMAT='%R %U %S'; { time { ${line} >/dev/null 2>&1; } ; } 2>&1`;
  const [seconds = NaN, user = NaN, system = NaN] = execFileSync('bash', ['-ec', script], {
    encoding: 'utf8',
  })
    .trim()
    .split(' ')
    .map(Number);
  return { seconds, cpu: user + system };
};

for (const { what, command } of rows) {
  const { seconds, cpu } = measure(command);
  const perAddress = ((cpu / ADDRESSES) * 1e6).toFixed(1);
  console.log(`| ${what} | ${seconds.toFixed(2)} | ${perAddress} |`);
}
