/** The members of an entry that are read: `true` for a string, a number or a boolean, or members of a member. */
export interface Wanted {
  readonly [name: string]: true | Wanted;
}

/** `Wanted`, prepared for comparing with the bytes of a file. */
export type Selection = readonly SelectedMember[];

interface SelectedMember {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** undefined: the member is a string, a number or a boolean */
  readonly selection: Selection | undefined;
}

/** Prepares a choice of members, once for many entries. */
export const select = (wanted: Wanted): Selection =>
  Object.entries(wanted).map(([name, inner]) => ({
    name,
    bytes: Buffer.from(name),
    selection: inner === true ? undefined : select(inner),
  }));

/** What is read of a map. */
export interface Members {
  readonly [name: string]: Value;
}
export type Value = string | number | boolean | undefined | Members | readonly Value[];

/** Whether a value is a map: neither an array nor a string, a number or a boolean. */
export const isMap = (value: Value): value is Members => typeof value === 'object' && !Array.isArray(value);

/** Types of values by their number in the file. Others are never needed: bytes and integers beyond 32 bits. */
const POINTER = 1;
const STRING = 2;
const DOUBLE = 3;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const INT32 = 8;
const ARRAY = 11;
const BOOLEAN = 14;
const FLOAT = 15;

/** What the pointers of each length count from. */
const POINTER_BASES = [0, 2_048, 526_336, 0] as const;
/** Sound entries nest four deep; damaged ones may contain themselves. */
const MAX_DEPTH = 32;

/**
 * The data section of an mmdb file (https://maxmind.github.io/MaxMind-DB/, "Output Data Section"). It decodes the members
 * of an entry that are asked for and steps over the others. mmdb-lib decodes whole entries, names in all languages
 * included; that leaves ten times as much garbage.
 */
export class DataSection {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #start: number;
  /** the next byte to read */
  #at = 0;
  /** of the value whose header was read last: its bytes, members or elements */
  #size = 0;

  /**
   * @param bytes the whole file
   * @param start the first byte of the section
   */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = start;
  }

  /**
   * Reads members of an entry. Members that are missing or of another type than selected are left out; of an array, only
   * the first element is read, in an array.
   * @param offset of the entry from the start of the section, in bytes
   * @throws RangeError or TypeError when the data is damaged
   */
  read(offset: number, selection: Selection): Members {
    if (offset < 0) throw new RangeError('an entry is before the data section');
    this.#at = this.#start + offset;
    const entry = this.#value(selection, 0);
    if (!isMap(entry)) throw new TypeError('an entry is not a map');
    return entry;
  }

  /** Reads the next value, and steps over what is not selected in it. */
  #value(selection: Selection | undefined, depth: number): Value {
    if (depth > MAX_DEPTH) throw new RangeError('an entry is nested too deeply');
    const control = this.#byte();
    if (control >> 5 === POINTER) {
      const target = this.#pointer(control);
      const next = this.#at;
      this.#at = target;
      const value = this.#value(selection, depth + 1);
      this.#at = next;
      return value;
    }
    const type = this.#header(control);
    if (type === MAP && selection) return this.#map(this.#size, selection, depth);
    if (type === ARRAY && selection) return this.#array(this.#size, selection, depth);
    if (type === MAP || type === ARRAY || selection) return this.#skipContent(type, depth);
    return this.#scalar(type, this.#size);
  }

  #map(size: number, selection: Selection, depth: number): Members {
    const map: Record<string, Value> = {};
    for (let i = 0; i < size; i++) {
      const member = this.#member(selection);
      if (member) map[member.name] = this.#value(member.selection, depth + 1);
      else this.#skip(depth + 1);
    }
    return map;
  }

  #array(size: number, selection: Selection, depth: number): Value[] {
    if (size === 0) return [];
    const first = this.#value(selection, depth + 1);
    for (let i = 1; i < size; i++) this.#skip(depth + 1);
    return [first];
  }

  /** Reads the name of a member, and finds it in the selection. */
  #member(selection: Selection): SelectedMember | undefined {
    let control = this.#byte();
    let next: number | undefined;
    if (control >> 5 === POINTER) {
      const target = this.#pointer(control);
      next = this.#at;
      this.#at = target;
      control = this.#byte();
    }
    if (this.#header(control) !== STRING) throw new TypeError('the name of a member is not a string');
    const start = this.#at;
    const end = start + this.#size;
    this.#at = next ?? end;
    for (const member of selection) if (this.#equals(start, end, member.bytes)) return member;
    return undefined;
  }

  #equals(start: number, end: number, expected: Uint8Array): boolean {
    if (end - start !== expected.length) return false;
    for (let i = 0; i < expected.length; i++) if (this.#bytes[start + i] !== expected[i]) return false;
    return true;
  }

  #skip(depth: number): void {
    if (depth > MAX_DEPTH) throw new RangeError('an entry is nested too deeply');
    const control = this.#byte();
    if (control >> 5 === POINTER) this.#pointer(control);
    else this.#skipContent(this.#header(control), depth);
  }

  #skipContent(type: number, depth: number): undefined {
    const size = this.#size;
    if (type === MAP) for (let i = 0; i < 2 * size; i++) this.#skip(depth + 1);
    else if (type === ARRAY) for (let i = 0; i < size; i++) this.#skip(depth + 1);
    else if (type !== BOOLEAN) this.#at += size;
    return undefined;
  }

  #scalar(type: number, size: number): string | number | boolean | undefined {
    if (type === BOOLEAN) return size !== 0;
    const at = this.#at;
    this.#at += size;
    if (this.#at > this.#bytes.length) throw new RangeError('a value ends after the file');
    switch (type) {
      case STRING:
        return this.#bytes.toString('utf8', at, at + size);
      case DOUBLE:
        return this.#view.getFloat64(at);
      case FLOAT:
        return this.#view.getFloat32(at);
      case UINT16:
      case UINT32:
        return this.#unsigned(at, size);
      case INT32:
        return this.#unsigned(at, size) | 0;
      default:
        return undefined;
    }
  }

  /** Reads the rest of a header, sets the size and returns the type. */
  #header(control: number): number {
    const type = control >> 5 || this.#extendedType();
    const size = control & 0x1f;
    if (size < 29) this.#size = size;
    else if (size === 29) this.#size = 29 + this.#byte();
    else this.#size = size === 30 ? 285 + this.#next(2) : 65_821 + this.#next(3);
    return type;
  }

  #extendedType(): number {
    const type = 7 + this.#byte();
    if (type < INT32 || type > FLOAT) throw new TypeError('there is no such type of values');
    return type;
  }

  /** Reads the rest of a pointer and returns where it points to. */
  #pointer(control: number): number {
    const length = (control >> 3) & 3;
    const low = this.#next(length + 1);
    const high = length === 3 ? 0 : (control & 7) << (8 * (length + 1));
    return this.#start + POINTER_BASES[length as 0 | 1 | 2 | 3] + high + low;
  }

  #next(bytes: number): number {
    const value = this.#unsigned(this.#at, bytes);
    this.#at += bytes;
    return value;
  }

  #unsigned(at: number, size: number): number {
    if (size > 4) throw new RangeError('an integer is too large');
    if (at + size > this.#bytes.length) throw new RangeError('a value ends after the file');
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + this.#bytes[at + i]!;
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('a value ends after the file');
    return byte;
  }
}
