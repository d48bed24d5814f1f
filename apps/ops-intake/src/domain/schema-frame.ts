/** The zero byte that no JSON text begins with, and the id of the schema, as Confluent's serializers write them. */
export const FRAME_BYTES = 5;

/** The bytes that the client sent, from a record that may be framed: the setting can have changed since it was written. */
export const withoutFrame = (value: Buffer): Buffer => (value[0] === 0 ? value.subarray(FRAME_BYTES) : value);
