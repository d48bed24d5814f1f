// The fields of Kafka's protocol, without the compact forms of its newer versions.
export const int8 = (value: number): Buffer => Buffer.from([value & 0xff]);
export const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
export const int64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
export const text = (value: string | undefined): Buffer =>
  value === undefined ? int16(-1) : Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
export const bytesOf = (value: Buffer): Buffer => Buffer.concat([int32(value.length), value]);
export const list = (items: readonly Buffer[]): Buffer => Buffer.concat([int32(items.length), ...items]);

/** Reads a request, field by field. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  #next(size: number): number {
    this.#at += size;
    return this.#at - size;
  }
  int8 = (): number => this.#bytes.readInt8(this.#next(1));
  int16 = (): number => this.#bytes.readInt16BE(this.#next(2));
  int32 = (): number => this.#bytes.readInt32BE(this.#next(4));
  int64 = (): number => Number(this.#bytes.readBigInt64BE(this.#next(8)));
  text = (): string | undefined => {
    const length = this.int16();
    return length < 0 ? undefined : this.#bytes.toString('utf8', this.#next(length), this.#at);
  };
  bytes = (): Buffer => {
    const length = this.int32();
    return this.#bytes.subarray(this.#next(length), this.#at);
  };
  list = <Item>(read: () => Item): Item[] => Array.from({ length: this.int32() }, read);
}
