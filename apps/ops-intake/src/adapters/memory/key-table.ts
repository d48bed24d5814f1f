import { randomInt } from 'node:crypto';

/** No entry. */
export const NONE = -1;

/** Characters of a UUID, and of a SHA-256 in base64 that is followed by nothing; both in words of four bytes. */
const ID_WORDS = 9;
const FINGERPRINT_WORDS = 11;
const ROW_WORDS = ID_WORDS + FINGERPRINT_WORDS;

const FIRST_CAPACITY = 1_024;

/** Clients choose keys: none may know which ones meet in a bucket. */
const SEED = randomInt(2 ** 32);

/** A text as words of four bytes, to compare or to store. */
class Words {
  readonly words: Int32Array;
  readonly #bytes: Uint8Array;
  #length = 0;

  constructor(count: number) {
    this.words = new Int32Array(count);
    this.#bytes = new Uint8Array(this.words.buffer);
  }

  /** @throws RangeError for more characters than there is room for */
  set(text: string): Int32Array {
    const bytes = this.#bytes;
    const { length } = text;
    if (length > bytes.length) throw new RangeError(`longer than ${bytes.length} characters: ${text}`);
    for (let at = 0; at < length; at += 1) bytes[at] = text.charCodeAt(at);
    if (length < this.#length) bytes.fill(0, length, this.#length);
    this.#length = length;
    return this.words;
  }
}

/** MurmurHash3, 32 bits, of the id at `start`. */
const hashOf = (words: Int32Array, start = 0): number => {
  let hash = SEED;
  for (let at = start; at < start + ID_WORDS; at += 1) {
    let word = Math.imul(words[at]!, 0xcc9e2d51);
    word = Math.imul((word << 15) | (word >>> 17), 0x1b873593);
    hash ^= word;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
};

const grown = <Numbers extends Int32Array | Float64Array | Uint8Array>(
  from: Numbers,
  to: Numbers,
): Numbers => {
  to.set(from);
  return to;
};

/**
 * Entries by id, the least recently used first, without an object for any: a hundred thousand objects that live for hours cost
 * more in garbage collections than everything else that is done for a key. An entry is the number of its slot in all columns.
 */
export class KeyTable {
  /** epoch milliseconds */
  claimedAt = new Float64Array(0);
  leasedUntil = new Float64Array(0);
  endsAt = new Float64Array(0);
  offset = new Float64Array(0);
  partition = new Int32Array(0);
  operations = new Int32Array(0);
  state = new Uint8Array(0);
  earlierUnknown = new Uint8Array(0);
  readonly owner: (string | undefined)[] = [];
  readonly principal: (string | undefined)[] = [];
  readonly topic: (string | undefined)[] = [];
  size = 0;

  /** id and fingerprint of each entry */
  #rows = new Int32Array(0);
  /** the first entry of each bucket; as many as a power of two */
  #buckets = new Int32Array(1).fill(NONE);
  /** the next entry of the same bucket, or the next free slot */
  #next = new Int32Array(0);
  #older = new Int32Array(0);
  #newer = new Int32Array(0);
  #oldest = NONE;
  #newest = NONE;
  #free = NONE;
  readonly #sought = new Words(ID_WORDS);
  readonly #fingerprint = new Words(FINGERPRINT_WORDS);
  #bucket = 0;

  /** the least recently used entry */
  get oldest(): number {
    return this.#oldest;
  }

  /** The entry with this id, or NONE. */
  find(id: string): number {
    const words = this.#sought.set(id);
    this.#bucket = hashOf(words) & (this.#buckets.length - 1);
    let entry = this.#buckets[this.#bucket]!;
    while (entry !== NONE && !this.#isAt(entry * ROW_WORDS, words)) entry = this.#next[entry]!;
    return entry;
  }

  /** Adds an entry, as the most recently used, with the id that `find` did not find just now. */
  add(): number {
    if (this.#free === NONE) this.#grow();
    const entry = this.#free;
    this.#free = this.#next[entry]!;
    this.#write(entry * ROW_WORDS, this.#sought.words);
    this.#next[entry] = this.#buckets[this.#bucket]!;
    this.#buckets[this.#bucket] = entry;
    this.#append(entry);
    this.size += 1;
    return entry;
  }

  remove(entry: number): void {
    this.#unlink(entry);
    const next = this.#next[entry]!;
    const bucket = this.#bucketOf(entry);
    let before = this.#buckets[bucket]!;
    if (before === entry) this.#buckets[bucket] = next;
    else {
      while (this.#next[before] !== entry) before = this.#next[before]!;
      this.#next[before] = next;
    }
    this.owner[entry] = undefined;
    this.principal[entry] = undefined;
    this.#next[entry] = this.#free;
    this.#free = entry;
    this.size -= 1;
  }

  /** Makes an entry the most recently used one. */
  touch(entry: number): void {
    if (entry === this.#newest) return;
    this.#unlink(entry);
    this.#append(entry);
  }

  hasFingerprint(entry: number, fingerprint: string): boolean {
    return this.#isAt(entry * ROW_WORDS + ID_WORDS, this.#fingerprint.set(fingerprint));
  }

  setFingerprint(entry: number, fingerprint: string): void {
    this.#write(entry * ROW_WORDS + ID_WORDS, this.#fingerprint.set(fingerprint));
  }

  #isAt(start: number, words: Int32Array): boolean {
    const rows = this.#rows;
    for (let at = 0; at < words.length; at += 1) if (rows[start + at] !== words[at]) return false;
    return true;
  }

  #write(start: number, words: Int32Array): void {
    const rows = this.#rows;
    for (let at = 0; at < words.length; at += 1) rows[start + at] = words[at]!;
  }

  #bucketOf(entry: number): number {
    return hashOf(this.#rows, entry * ROW_WORDS) & (this.#buckets.length - 1);
  }

  #append(entry: number): void {
    this.#older[entry] = this.#newest;
    this.#newer[entry] = NONE;
    if (this.#newest === NONE) this.#oldest = entry;
    else this.#newer[this.#newest] = entry;
    this.#newest = entry;
  }

  #unlink(entry: number): void {
    const [older, newer] = [this.#older[entry]!, this.#newer[entry]!];
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
  }

  #grow(): void {
    const full = this.state.length;
    const capacity = Math.max(FIRST_CAPACITY, 2 * full);
    this.claimedAt = grown(this.claimedAt, new Float64Array(capacity));
    this.leasedUntil = grown(this.leasedUntil, new Float64Array(capacity));
    this.endsAt = grown(this.endsAt, new Float64Array(capacity));
    this.offset = grown(this.offset, new Float64Array(capacity));
    this.partition = grown(this.partition, new Int32Array(capacity));
    this.operations = grown(this.operations, new Int32Array(capacity));
    this.state = grown(this.state, new Uint8Array(capacity));
    this.earlierUnknown = grown(this.earlierUnknown, new Uint8Array(capacity));
    this.#rows = grown(this.#rows, new Int32Array(capacity * ROW_WORDS));
    this.#next = grown(this.#next, new Int32Array(capacity));
    this.#older = grown(this.#older, new Int32Array(capacity));
    this.#newer = grown(this.#newer, new Int32Array(capacity));
    // All places were in use.
    this.#buckets = new Int32Array(2 * capacity).fill(NONE);
    for (let entry = 0; entry < full; entry += 1) {
      const bucket = this.#bucketOf(entry);
      this.#next[entry] = this.#buckets[bucket]!;
      this.#buckets[bucket] = entry;
    }
    for (let entry = full; entry < capacity; entry += 1) {
      this.owner.push(undefined);
      this.principal.push(undefined);
      this.topic.push(undefined);
      this.#next[entry] = entry + 1 < capacity ? entry + 1 : NONE;
    }
    this.#free = full;
    this.#bucket = hashOf(this.#sought.words) & (this.#buckets.length - 1);
  }
}
