import { Reader, type Response } from 'mmdb-lib';
import type { Address } from '@workspace/ip-addresses';
import { UnusableFiles } from '@workspace/service-process';
import { DataSection, type Members, type Selection } from './data-section.ts';
import { SearchTree } from './search-tree.ts';

/** Bytes between the search tree and the data section. */
export const SEPARATOR_BYTES = 16;

/** Of a file: its pointers have 32 bits. */
export const MAX_BYTES = 2 ** 32;

/** What the metadata follows, in the last 128 KiB (https://maxmind.github.io/MaxMind-DB/, "Database Metadata"). */
export const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const METADATA_BYTES = 131_072;

/** An open database file: its two sections, and the metadata once nonsense is sorted out. */
export interface MmdbFile {
  readonly bytes: Buffer;
  readonly tree: SearchTree;
  /** of the addresses that it can have; an IPv4 tree would silently answer for an IPv6 address by its first 32 bits */
  readonly families: readonly (4 | 6)[];
  /**
   * Reads members of the entry of an address; undefined when the file does not have it, or none of its family.
   * @throws RangeError or TypeError when the entry is damaged
   */
  readonly find: (
    address: Address,
    selection: Selection,
  ) => { readonly members: Members; readonly prefixLength: number } | undefined;
  /**
   * Decodes the whole entry of an address with MaxMind's own decoder, members that are never asked for included.
   * @returns the entry, or null, and the prefix length of its network
   * @throws when any of it is damaged
   */
  readonly decode: (address: Pick<Address, 'text'>) => readonly [entry: unknown, prefixLength: number];
  /**
   * Reads members of an entry.
   * @param pointer to the entry, as the search tree has it
   * @throws RangeError or TypeError when the entry is damaged
   */
  readonly read: (pointer: number, selection: Selection) => Members;
  readonly type: string;
  readonly ipVersion: 4 | 6;
  readonly builtAt: Date | null;
}

/**
 * Opens the bytes of an mmdb file.
 * @throws UnusableFiles when they are not one
 */
export const openMmdb = (bytes: Buffer): MmdbFile => {
  if (bytes.length === 0) throw new UnusableFiles('the file is empty');
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new UnusableFiles('the file is gzipped');
  const notOne = 'the file is not a MaxMind-format database, or only part of one';
  // mmdb-lib would search the whole file, byte by byte.
  if (!bytes.subarray(-METADATA_BYTES).includes(METADATA_MARKER)) throw new UnusableFiles(notOne);
  let reader: Reader<Response>;
  try {
    reader = new Reader(bytes);
  } catch (cause) {
    throw new UnusableFiles(notOne, { cause });
  }
  const { databaseType: type, ipVersion, buildEpoch, nodeCount, searchTreeSize } = reader.metadata;
  if (typeof type !== 'string' || (ipVersion !== 4 && ipVersion !== 6) || !(nodeCount > 0)) {
    throw new UnusableFiles('the file has no usable metadata');
  }
  if (searchTreeSize >= bytes.length) throw new UnusableFiles('the file is only part of a database');
  const tree = new SearchTree(bytes, reader.metadata);
  const data = new DataSection(bytes, searchTreeSize + SEPARATOR_BYTES);
  const read = (pointer: number, selection: Selection): Members =>
    data.read(pointer - nodeCount - SEPARATOR_BYTES, selection);
  const decode = ({ text }: Pick<Address, 'text'>) => reader.getWithPrefixLength(text);
  // The files of ip-location-db have one family each, `city ipv6`, or both, `country ipvAll`.
  const families: readonly (4 | 6)[] = ipVersion === 4 ? [4] : type.endsWith(' ipv6') ? [6] : [4, 6];
  const find = ({ family, bytes: octets }: Address, selection: Selection) => {
    const found = families.includes(family) ? tree.find(octets) : undefined;
    return found && { members: read(found.entry, selection), prefixLength: found.prefixLength };
  };
  return { bytes, tree, families, find, decode, read, type, ipVersion, builtAt: plausible(buildEpoch) };
};

/** A plausible build date or null: damaged metadata says anything, and `toISOString()` throws on some of it. */
const plausible = (epoch: Date): Date | null => {
  const time = epoch.getTime();
  return time > 0 && time < Date.UTC(2200, 0) ? epoch : null;
};
