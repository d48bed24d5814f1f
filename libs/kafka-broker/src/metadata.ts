import { createConnection } from 'node:net';

const apiVersions = { key: 18, version: 0 };
const metadata = { key: 3, version: 1 };

/** A request frame of Kafka's protocol: int32 length, int16 API key, int16 version, int32 correlation id, no client id. */
export const requestFrame = (
  api: { key: number; version: number },
  correlationId: number,
  body: Buffer,
): Buffer => {
  const head = Buffer.alloc(14);
  head.writeInt32BE(10 + body.length, 0);
  head.writeInt16BE(api.key, 4);
  head.writeInt16BE(api.version, 6);
  head.writeInt32BE(correlationId, 8);
  head.writeInt16BE(-1, 12);
  return Buffer.concat([head, body]);
};

/** Node ids in the body of a Metadata response, version 1: `[node_id int32, host string, port int32, rack string?]`. */
const brokerIds = (body: Buffer): number[] => {
  let at = 0;
  const int32 = (): number => body.readInt32BE((at += 4) - 4);
  const skipString = (): void => {
    const length = body.readInt16BE(at);
    at += 2 + Math.max(0, length);
  };
  return Array.from({ length: int32() }, () => {
    const id = int32();
    skipString();
    int32();
    skipString();
    return id;
  });
};

/**
 * Asks a broker for ApiVersions and then Metadata, the way every client begins.
 * @returns node ids of the brokers it knows; rejects when it does not answer both in time
 */
export const askMetadata = (port: number, timeoutMs: number): Promise<number[]> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    let received: Buffer = Buffer.alloc(0);
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer in ${timeoutMs} ms`)));
    socket.on('connect', () => socket.write(requestFrame(apiVersions, 1, Buffer.alloc(0))));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < 4 + received.readInt32BE(0)) return;
      const answer = received.subarray(4);
      received = Buffer.alloc(0);
      if (answer.readInt32BE(0) === 1) {
        socket.write(requestFrame(metadata, 2, Buffer.from([0, 0, 0, 0]))); // no topics wanted
      } else {
        resolve(brokerIds(answer.subarray(4)));
        socket.end();
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('connection closed')));
  });
