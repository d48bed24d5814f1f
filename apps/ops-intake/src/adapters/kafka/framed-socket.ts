import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory } from 'kafkajs';
import type { ConnectionTracker } from './produce-tracker.ts';

const KEEP_ALIVE_MS = 60_000;
const LENGTH_BYTES = 4;
/** Far above any answer to a producer or admin; anything larger is not Kafka. */
const LARGEST_FRAME = 64 * 1024 * 1024;

/**
 * Collects bytes into whole Kafka frames (int32 length, then that many bytes).
 *
 * kafkajs keeps the half-read answer of a dead connection and reads the next connection's answers behind it, which ends
 * the process with a RangeError nobody can catch. Given whole frames only, nothing half-read outlives its connection.
 *
 * @param deliver gets each frame, its length prefix included
 * @returns takes the next chunk
 * @throws RangeError for a length no Kafka answer has
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
      if (length < 0 || length > LARGEST_FRAME)
        throw new RangeError(`a frame of ${length} bytes is not Kafka`);
      needed = LENGTH_BYTES + length;
      if (bytes.length < needed) break;
      deliver(bytes.subarray(0, needed));
      bytes = bytes.subarray(needed);
      needed = LENGTH_BYTES;
    }
    chunks = bytes.length > 0 ? [bytes] : [];
    buffered = bytes.length;
  };
};

type DataListener = (chunk: Buffer) => void;

/**
 * The socket factory for one Kafka client: keep-alive and SNI as kafkajs itself does them, whole frames inwards, every
 * frame outwards shown to the tracker first (kafkajs writes one frame a call).
 *
 * @param sockets gets every open socket, so that a discarded client can be cut off for good
 */
export const framedSocketFactory =
  (newTracker: () => ConnectionTracker, sockets: Set<net.Socket>): ISocketFactory =>
  ({ host, port, ssl, onConnect }) => {
    const servername = net.isIP(host) ? {} : { servername: host };
    const socket = ssl
      ? tls.connect({ host, port, ...servername, ...ssl }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));

    const tracker = newTracker();
    const write = socket.write.bind(socket) as (frame: Buffer) => boolean;
    socket.write = ((frame: Buffer) => {
      tracker.wrote(frame);
      return write(frame);
    }) as typeof socket.write;

    const on = socket.on.bind(socket);
    socket.on = ((event: string, listener: DataListener) => {
      if (event !== 'data') return on(event, listener);
      const collect = frameCollector((frame) => {
        tracker.read(frame);
        listener(frame);
      });
      return on('data', (chunk: Buffer) => {
        try {
          collect(chunk);
        } catch (error) {
          socket.destroy(error as Error);
        }
      });
    }) as typeof socket.on;
    return socket;
  };
