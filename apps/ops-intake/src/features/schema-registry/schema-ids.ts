import type { OperationLog } from '../../application/operation-log.ts';
import { FRAME_BYTES } from '../../domain/schema-frame.ts';

export interface SchemaIdOptions {
  /** the ids that a registry gave to schemas, by the `ce_type` of their records */
  ids: ReadonlyMap<string, number>;
  /** whether the value begins with the id, too, as serializers of Confluent write it: that alters it */
  framing: boolean;
}

const framed = (value: Buffer, id: number): Buffer => {
  const bytes = Buffer.allocUnsafe(FRAME_BYTES + value.length);
  bytes[0] = 0;
  bytes.writeUInt32BE(id, 1);
  value.copy(bytes, FRAME_BYTES);
  return bytes;
};

/** An operation log whose records carry the ids of their schemas. */
export const addSchemaIds = (log: OperationLog, { ids, framing }: SchemaIdOptions): OperationLog => ({
  append: (record, listener, maxWaitMs) => {
    const type = String(record.headers['ce_type']);
    const id = ids.get(type);
    if (id === undefined) throw new Error(`no schema id for ${type}`);
    const headers = { ...record.headers, ce_schemaid: String(id) };
    const value = framing ? framed(record.value, id) : record.value;
    return log.append({ ...record, headers, value }, listener, maxWaitMs);
  },
  isFull: () => log.isFull(),
  status: () => log.status(),
  close: () => log.close(),
});
