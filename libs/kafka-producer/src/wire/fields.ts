/** Reads fields of an answer, as the decoder of kafkajs does. */
export interface FieldReader {
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readInt64(): bigint;
  readUVarInt(): number;
  readString(): string;
  readUVarIntString(): string;
  readBytes(length?: number): Buffer | null;
  readBoolean(): boolean;
  readArray<Item>(read: (reader: FieldReader) => Item): Item[];
  readUVarIntArray<Item>(read: (reader: FieldReader) => Item): Item[] | null;
}

/** Writes fields of a request, as the encoder of kafkajs does. */
export interface FieldWriter {
  writeInt8(value: number): FieldWriter;
  writeInt32(value: number): FieldWriter;
  writeInt64(value: string): FieldWriter;
  writeString(value: string): FieldWriter;
  writeUVarIntString(value: string): FieldWriter;
  writeArray(items: readonly FieldWriter[]): FieldWriter;
  writeUVarIntArray(items: readonly FieldWriter[]): FieldWriter;
}
