import { TLS_RECORD } from './broker-mismatch.ts';

const LENGTH_BYTES = 4;
/** Far above any answer to a producer; anything larger is not Kafka. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** What a listener with TLS answers to anything else: an alert, of version 3.x. */
const isTlsRecord = (bytes: Buffer): boolean => bytes[0] === 0x15 && bytes[1] === 3;

/**
 * Collects bytes into whole Kafka frames (int32 length, then that many bytes).
 *
 * @param deliver gets each frame without its length
 * @returns takes the next chunk
 * @throws RangeError for a length that no Kafka answer has
 */
export const frameCollector = (deliver: (frame: Buffer) => void): ((chunk: Buffer) => void) => {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let needed = LENGTH_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    buffered += chunk.length;
    if (buffered < needed) return;
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, buffered);
    needed = LENGTH_BYTES;
    while (bytes.length >= LENGTH_BYTES) {
      const length = bytes.readInt32BE(0);
      if (length < 0 || length > MAX_FRAME_BYTES)
        throw Object.assign(new RangeError(`a frame of ${length} bytes is not Kafka`), {
          ...(isTlsRecord(bytes) && { code: TLS_RECORD }),
        });
      needed = LENGTH_BYTES + length;
      if (bytes.length < needed) break;
      deliver(bytes.subarray(LENGTH_BYTES, needed));
      bytes = bytes.subarray(needed);
      needed = LENGTH_BYTES;
    }
    chunks = bytes.length > 0 ? [bytes] : [];
    buffered = bytes.length;
  };
};
