/** One line of a stream. */
export interface BulkText {
  /** counted from 1, empty ones too */
  readonly number: number;
  /** what it is in; undefined for one that is too long */
  readonly chunk: Buffer | undefined;
  /** its first byte, and the one after its last: its line break is not part of it */
  readonly start: number;
  readonly end: number;
  /** bytes of the stream since the last line, as far as they are kept as long as this one */
  readonly taken: number;
}

const LINE_FEED = 0x0a;
/** What Node reads at once, and so the most that a line keeps beside itself. */
const CHUNK_BYTES = 65_536;
const NO_BYTES = Buffer.alloc(0);

const isBlank = (bytes: Buffer, start: number, end: number): boolean => {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
};

/** Splits a stream of bytes into lines, without a copy where a line is in one chunk. Empty lines are left out. */
export class LineSplitter {
  readonly #mostBytes: number;
  #chunk: Buffer = NO_BYTES;
  #at = 0;
  /** the beginning of a line that continues in the next chunk: a buffer that grows, and how much of it is used */
  #begun: Buffer = NO_BYTES;
  #length = 0;
  #isSkipping = false;
  #isEnded = false;
  #number = 0;
  #taken = 0;

  /** @param mostBytes of a line */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Adds a chunk, once `next` has returned all lines of the one before. */
  add(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** The rest is the last line. */
  end(): void {
    this.#isEnded = true;
  }

  /** The next line that is complete. */
  next(): BulkText | undefined {
    for (;;) {
      const end = this.#chunk.indexOf(LINE_FEED, this.#at);
      if (end === -1) {
        this.#keep(this.#chunk.subarray(this.#at));
        this.#chunk = NO_BYTES;
        this.#at = 0;
        return this.#isEnded && (this.#length > 0 || this.#isSkipping) ? this.#line(0, 0) : undefined;
      }
      const start = this.#at;
      this.#taken += 1;
      this.#at = end + 1;
      const line = this.#line(start, end);
      if (line) return line;
    }
  }

  /** The line of what is kept, and of this part of the chunk. */
  #line(start: number, end: number): BulkText | undefined {
    this.#number += 1;
    let chunk: Buffer | undefined = this.#chunk;
    if (this.#length === 0 && end - start <= this.#mostBytes) this.#taken += end - start;
    else {
      this.#keep(chunk.subarray(start, end));
      chunk = this.#begun;
      start = 0;
      end = this.#length;
    }
    if (this.#isSkipping) chunk = undefined;
    this.#begun = NO_BYTES;
    this.#length = 0;
    this.#isSkipping = false;
    if (chunk && isBlank(chunk, start, end)) return undefined;
    const taken = Math.min(this.#taken, (chunk ? end - start : 0) + CHUNK_BYTES);
    this.#taken = 0;
    return { number: this.#number, chunk, start, end, taken };
  }

  /** Keeps the beginning of a line, in a buffer that doubles: the chunks of one may be tiny. */
  #keep(part: Buffer): void {
    this.#taken += part.length;
    if (this.#isSkipping || part.length === 0) return;
    const length = this.#length + part.length;
    if (length > this.#mostBytes) {
      this.#isSkipping = true;
      this.#begun = NO_BYTES;
      this.#length = 0;
      return;
    }
    if (length > this.#begun.length) {
      const capacity = Math.min(this.#mostBytes, Math.max(length, 2 * this.#begun.length));
      this.#begun.copy((this.#begun = Buffer.allocUnsafeSlow(capacity)), 0, 0, this.#length);
    }
    part.copy(this.#begun, this.#length);
    this.#length = length;
  }
}
