/** API keys of Kafka's protocol that the proxy can act on. */
export const apiKeys = { produce: 0, metadata: 3, apiVersions: 18, initProducerId: 22 } as const;

/**
 * Cuts a byte stream into Kafka frames (int32 length, then that many bytes), each handed on with its length prefix.
 * Written independently of the service's own collector, so that a mistake there is not repeated here.
 */
export const frameSplitter = (onFrame: (frame: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      onFrame(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
};

/** What stands at the front of every request frame. */
export const requestHead = (frame: Buffer): { apiKey: number; correlationId: number } => ({
  apiKey: frame.readInt16BE(4),
  correlationId: frame.readInt32BE(8),
});

/** Correlation id of a response frame. */
export const responseId = (frame: Buffer): number => frame.readInt32BE(4);
