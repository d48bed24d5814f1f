import { type Network, parseAddress } from '@workspace/ip-addresses';
import { type MmdbValue, Uint } from '../src/adapters/mmdb/mmdb-writer.ts';

/** Addresses from `first` to `last`, both included, as numbers. */
interface Range {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
}

interface Row extends Range {
  readonly asn: number;
  readonly org: string;
}

/** `1.0.0.0,1.0.0.255,13335,"Cloudflare, Inc."`; quotes inside the name are doubled (RFC 4180). */
const ROW = /^([^,]+),([^,]+),(\d+),(?:"((?:[^"]|"")*)"|([^",]*))$/;

/**
 * The blocks of the rows of ip-location-db's ASN files, in MaxMind's shape. Neighbouring rows of one operator become one
 * range, which needs fewer blocks.
 * @param lines first address, last address, AS number, name; in ascending order. Where rows overlap, the later one counts
 * @throws Error naming the line that is something else
 */
export function* asnEntries(lines: Iterable<string>): Generator<[Network, MmdbValue]> {
  const entries = new Map<string, MmdbValue>();
  for (const range of merged(lines)) {
    const key = `${range.asn} ${range.org}`;
    let entry = entries.get(key);
    if (!entry) {
      entry = {
        autonomous_system_number: new Uint(range.asn),
        ...(range.org !== '' && { autonomous_system_organization: range.org }),
      };
      entries.set(key, entry);
    }
    for (const block of blocksOf(range)) yield [block, entry];
  }
}

function* merged(lines: Iterable<string>): Generator<Row> {
  let previous: Row | undefined;
  let number = 0;
  for (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const row = parseRow(line);
    if (!row) throw new Error(`line ${number} is not a range of addresses and its operator: ${line}`);
    const continues =
      previous?.family === row.family &&
      previous.last + 1n === row.first &&
      previous.asn === row.asn &&
      previous.org === row.org;
    if (previous && !continues) yield previous;
    previous = previous && continues ? { ...previous, last: row.last } : row;
  }
  if (previous) yield previous;
}

const parseRow = (line: string): Row | undefined => {
  const [, start = '', end = '', asn, quoted, plain] = ROW.exec(line.trimEnd()) ?? [];
  const first = parseAddress(start);
  const last = parseAddress(end);
  if (!first || !last || first.family !== last.family) return undefined;
  const range = { family: first.family, first: numberOf(first.bytes), last: numberOf(last.bytes) };
  if (range.first > range.last) return undefined;
  return { ...range, asn: Number(asn), org: (quoted?.replaceAll('""', '"') ?? plain ?? '').trim() };
};

/** The fewest blocks in CIDR notation that cover a range: each as large as its alignment and the rest of the range allow. */
export function* blocksOf({ family, first, last }: Range): Generator<Network> {
  const bits = family === 4 ? 32 : 128;
  for (let at = first; at <= last;) {
    let free = 0;
    while (free < bits && (at >> BigInt(free)) % 2n === 0n && at + (1n << BigInt(free + 1)) - 1n <= last)
      free++;
    yield { family, bytes: bytesOf(at, bits / 8), length: bits - free };
    at += 1n << BigInt(free);
  }
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (value: bigint, size: number): Uint8Array =>
  Buffer.from(value.toString(16).padStart(size * 2, '0'), 'hex');
