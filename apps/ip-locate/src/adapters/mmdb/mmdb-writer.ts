import { type Network, parseNetwork } from '@workspace/ip-addresses';
import { METADATA_MARKER, SEPARATOR_BYTES } from './mmdb-file.ts';

/**
 * Writes MaxMind DB files, format 2.0 (https://maxmind.github.io/MaxMind-DB/): the bundled ASN database, and databases
 * made for tests and the benchmark only.
 */
export interface MmdbContents {
  type: string;
  ipVersion?: 4 | 6;
  recordSize?: RecordSize;
  languages?: string[];
  /** seconds since 1970 */
  epoch?: number | bigint;
  /** CIDR block → entry; later entries overrule earlier ones */
  entries: Iterable<readonly [string | Network, MmdbValue]>;
  /** a sentence about the data, in English */
  description?: string;
}

export type MmdbValue =
  | string
  | number
  | boolean
  | bigint
  | Uint
  | Float
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue };

/** A plain number is a double; these are the other types. */
export class Uint {
  readonly value: number;
  readonly bits: 16 | 32;
  constructor(value: number, bits: 16 | 32 = 32) {
    this.value = value;
    this.bits = bits;
  }
}
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** The size of a record of a search tree, in bits. */
export type RecordSize = 24 | 28 | 32;

/** Writes the two records of a node into the bytes of a search tree. */
export const writeNode = (
  tree: Buffer,
  recordSize: RecordSize,
  node: number,
  left: number,
  right: number,
): void => {
  const nodeBytes = recordSize / 4;
  const at = node * nodeBytes;
  if (recordSize === 32) {
    tree.writeUInt32BE(left, at);
    tree.writeUInt32BE(right, at + 4);
  } else {
    tree.writeUIntBE(left & 0xffffff, at, 3);
    tree.writeUIntBE(right & 0xffffff, at + nodeBytes - 3, 3);
    if (recordSize === 28) tree[at + 3] = ((left >>> 24) << 4) | (right >>> 24);
  }
};

const EMPTY = -1;

export const writeMmdb = (contents: MmdbContents): Buffer => {
  const {
    type,
    ipVersion = 6,
    recordSize = 28,
    languages = ['en'],
    epoch = 1_780_000_000,
    entries,
    description = `${type} of a test`,
  } = contents;
  const data = new DataSection();
  const tree = new SearchTree(ipVersion);
  for (const [block, entry] of entries) {
    const network = typeof block === 'string' ? parseNetwork(block) : block;
    if (!network) throw new Error(`no network: ${block as string}`);
    tree.insert(network, data.add(entry));
  }
  const metadata = new DataSection();
  metadata.write({
    node_count: new Uint(tree.size),
    record_size: new Uint(recordSize, 16),
    ip_version: new Uint(ipVersion, 16),
    database_type: type,
    languages,
    binary_format_major_version: new Uint(2, 16),
    binary_format_minor_version: new Uint(0, 16),
    build_epoch: BigInt(epoch),
    description: { en: description },
  });
  const section = data.encode();
  return Buffer.concat([
    tree.encode(recordSize, section.length),
    Buffer.alloc(SEPARATOR_BYTES),
    section,
    METADATA_MARKER,
    metadata.encode(),
  ]);
};

/** A binary tree in two growing arrays: a child is a node (≥ 0), nothing (−1) or data (−2 − offset). */
class SearchTree {
  size = 1;
  #children = new Int32Array(2048).fill(EMPTY);
  readonly #ipVersion: 4 | 6;

  constructor(ipVersion: 4 | 6) {
    this.#ipVersion = ipVersion;
  }

  insert({ family, bytes, length }: Network, offset: number): void {
    // IPv4 lives at ::/96 of a tree for IPv6.
    const lead = this.#ipVersion === 6 && family === 4 ? 96 : 0;
    let node = 0;
    for (let depth = 0; depth < lead + length; depth++) {
      const at = depth - lead;
      const bit = at < 0 ? 0 : ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
      const slot = 2 * node + bit;
      if (depth === lead + length - 1) this.#children[slot] = -2 - offset;
      else node = this.#descend(slot);
    }
  }

  #descend(slot: number): number {
    const child = this.#children[slot] ?? EMPTY;
    if (child >= 0) return child;
    const node = this.size++;
    if (2 * this.size > this.#children.length) {
      const grown = new Int32Array(this.#children.length * 2).fill(EMPTY);
      grown.set(this.#children);
      this.#children = grown;
    }
    // A block cut in two keeps its entry on both sides.
    this.#children[2 * node] = this.#children[2 * node + 1] = child;
    this.#children[slot] = node;
    return node;
  }

  /** @throws Error when a pointer needs more than `recordSize` bits */
  encode(recordSize: RecordSize, dataBytes: number): Buffer {
    if (this.size + SEPARATOR_BYTES + dataBytes > 2 ** recordSize)
      throw new Error(`too large for ${recordSize} bits`);
    const bytes = Buffer.alloc(this.size * (recordSize / 4));
    for (let node = 0; node < this.size; node++) {
      writeNode(bytes, recordSize, node, this.#pointer(2 * node), this.#pointer(2 * node + 1));
    }
    return bytes;
  }

  #pointer(slot: number): number {
    const child = this.#children[slot] ?? EMPTY;
    if (child === EMPTY) return this.size;
    return child >= 0 ? child : this.size + SEPARATOR_BYTES - 2 - child;
  }
}

const TYPE = {
  pointer: 1,
  string: 2,
  double: 3,
  uint16: 5,
  uint32: 6,
  map: 7,
  uint64: 9,
  array: 11,
  boolean: 14,
  float: 15,
};

/** Values one after the other; texts and objects written before are pointed at, as real files do. */
class DataSection {
  #bytes = Buffer.alloc(1 << 16);
  #length = 0;
  readonly #texts = new Map<string, number>();
  readonly #objects = new Map<object, number>();

  /** Offset of an entry; the same object is stored once. */
  add(value: MmdbValue): number {
    const known = typeof value === 'object' ? this.#objects.get(value) : undefined;
    if (known !== undefined) return known;
    const offset = this.#length;
    this.write(value);
    return offset;
  }

  write(value: MmdbValue): void {
    if (typeof value === 'string') this.#writeText(value);
    else if (typeof value === 'number') this.#writeReal(TYPE.double, value);
    else if (typeof value === 'boolean') this.#control(TYPE.boolean, value ? 1 : 0);
    else if (typeof value === 'bigint') this.#writeUint(TYPE.uint64, value);
    else if (value instanceof Uint)
      this.#writeUint(value.bits === 16 ? TYPE.uint16 : TYPE.uint32, BigInt(value.value));
    else if (value instanceof Float) this.#writeReal(TYPE.float, value.value);
    else this.#writeObject(value as readonly MmdbValue[] | { readonly [key: string]: MmdbValue });
  }

  encode(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #writeText(text: string): void {
    const known = this.#texts.get(text);
    if (known !== undefined) return this.#point(known);
    if (text.length > 1) this.#texts.set(text, this.#length);
    const bytes = Buffer.from(text);
    this.#control(TYPE.string, bytes.length);
    this.#append(bytes);
  }

  #writeObject(value: readonly MmdbValue[] | { readonly [key: string]: MmdbValue }): void {
    const known = this.#objects.get(value);
    if (known !== undefined) return this.#point(known);
    this.#objects.set(value, this.#length);
    if (Array.isArray(value)) {
      this.#control(TYPE.array, value.length);
      for (const item of value as MmdbValue[]) this.write(item);
      return;
    }
    const members = Object.entries(value);
    this.#control(TYPE.map, members.length);
    for (const [key, member] of members) {
      this.#writeText(key);
      this.write(member);
    }
  }

  #writeUint(type: number, value: bigint): void {
    const hex = value === 0n ? '' : value.toString(16);
    const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
    this.#control(type, bytes.length);
    this.#append(bytes);
  }

  #writeReal(type: number, value: number): void {
    const bytes = Buffer.alloc(type === TYPE.double ? 8 : 4);
    if (type === TYPE.double) bytes.writeDoubleBE(value);
    else bytes.writeFloatBE(value);
    this.#control(type, bytes.length);
    this.#append(bytes);
  }

  /** The control byte: type in three bits or a byte of its own, size in five bits or up to three bytes more. */
  #control(type: number, size: number): void {
    const short = size < 29 ? size : size < 285 ? 29 : size < 65_821 ? 30 : 31;
    this.#byte(((type > 7 ? 0 : type) << 5) | short);
    if (type > 7) this.#byte(type - 7);
    if (short === 29) this.#byte(size - 29);
    else if (short === 30) this.#bigEndian(size - 285, 2);
    else if (short === 31) this.#bigEndian(size - 65_821, 3);
  }

  #point(offset: number): void {
    if (offset < 2048) {
      this.#byte((TYPE.pointer << 5) | (offset >> 8));
      this.#byte(offset & 0xff);
    } else {
      this.#byte((TYPE.pointer << 5) | (3 << 3));
      this.#bigEndian(offset, 4);
    }
  }

  #byte(value: number): void {
    this.#append(Uint8Array.of(value));
  }

  #bigEndian(value: number, size: number): void {
    const bytes = Buffer.alloc(size);
    bytes.writeUIntBE(value, 0, size);
    this.#append(bytes);
  }

  #append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) {
      const grown = Buffer.alloc(2 * (this.#length + bytes.length));
      this.#bytes.copy(grown);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }
}
