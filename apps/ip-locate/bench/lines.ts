/**
 * Measures the offline command with a million addresses, beside the readers that others use on the command line, on the same
 * file of the bundled data.
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
/** A process for each address is slow: this many show what an address costs. */
const PROCESSES = 500;

const folder = join(workspaceRoot, 'tmp/ip-locate');
const command = builtFile('ip-locate', 'ip-locate.js');
const database = bundledData(pathToFileURL(command).href).city?.[0];
if (database === undefined) throw new Error('the bundled data is not built: npx nx build ip-locate');

const all = join(folder, 'addresses.txt');
const some = join(folder, 'some-addresses.txt');

/** Random public IPv4 addresses, always the same ones. */
const writeAddresses = (): void => {
  if (existsSync(all) && existsSync(some)) return;
  mkdirSync(folder, { recursive: true });
  const random = createRandom();
  const addresses: string[] = [];
  while (addresses.length < ADDRESSES) {
    const address = randomAddress(4, random);
    if (reservedRange(address) === undefined) addresses.push(address.text);
  }
  writeFileSync(all, `${addresses.join('\n')}\n`);
  writeFileSync(some, `${addresses.slice(0, PROCESSES).join('\n')}\n`);
};

writeAddresses();

interface Row {
  readonly what: string;
  readonly addresses: number;
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
    addresses: ADDRESSES,
    command: `"${process.execPath}" "${command}" --database "${database}" "${all}"`,
  },
  {
    what: '`ip-locate`, the country as CSV',
    addresses: ADDRESSES,
    command: `"${process.execPath}" "${command}" --database "${database}" --output csv --fields country "${all}"`,
  },
  {
    what: 'maxminddb-golang, the record as NDJSON',
    addresses: ADDRESSES,
    command: `"${goReader()}" "${database}" < "${all}"`,
  },
  {
    what: '`mmdblookup`, one process for each address',
    addresses: PROCESSES,
    command: `xargs -a "${some}" -n 1 mmdblookup --file "${database}" --ip`,
  },
  {
    what: 'of which to start a process (`/bin/true`)',
    addresses: PROCESSES,
    command: `xargs -a "${some}" -n 1 /bin/true`,
  },
];

/** Why mmdbinspect cannot be measured; undefined when it can. */
const missingMmdbinspect = (): string | undefined => {
  try {
    execFileSync('mmdbinspect', ['--help'], { stdio: 'ignore' });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined;
    return 'it is not in PATH (`go install github.com/maxmind/mmdbinspect/v2/cmd/mmdbinspect@latest`)';
  }
};

const mmdbinspect = missingMmdbinspect();
if (mmdbinspect === undefined) {
  rows.push({
    what: '`mmdbinspect`, 500 addresses for each process',
    addresses: ADDRESSES,
    command: `xargs -a "${all}" -n 500 mmdbinspect --db "${database}"`,
  });
} else console.log(`without mmdbinspect: ${mmdbinspect}\n`);

console.log(`Node ${process.version}, ${database.split('/').at(-1)}\n`);
console.log('| command | addresses | seconds | µs CPU per address |\n|---|---:|---:|---:|');

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

for (const { what, addresses, command } of rows) {
  const { seconds, cpu } = measure(command);
  const perAddress = ((cpu / addresses) * 1e6).toFixed(1);
  console.log(`| ${what} | ${addresses.toLocaleString('en')} | ${seconds.toFixed(2)} | ${perAddress} |`);
}
