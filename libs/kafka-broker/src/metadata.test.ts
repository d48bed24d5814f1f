import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { askMetadata, requestFrame } from './metadata.ts';

/** Metadata v1 body: two brokers, the second with a rack. */
const twoBrokers = Buffer.concat([
  Buffer.from([0, 0, 0, 2]),
  Buffer.from([0, 0, 0, 1, 0, 4]),
  Buffer.from('host'),
  Buffer.from([0, 0, 35, 132, 255, 255]),
  Buffer.from([0, 0, 0, 7, 0, 1]),
  Buffer.from('h'),
  Buffer.from([0, 0, 35, 132, 0, 1]),
  Buffer.from('r'),
]);

describe('requestFrame', () => {
  it('is length, API key, version, correlation id, no client id, body', () => {
    expect(requestFrame({ key: 18, version: 0 }, 5, Buffer.from([9]))).toEqual(
      Buffer.from([0, 0, 0, 11, 0, 18, 0, 0, 0, 0, 0, 5, 255, 255, 9]),
    );
  });
});

describe('askMetadata', () => {
  const servedBy = async (
    onRequest: (answer: (body: Buffer) => void) => void,
  ): Promise<[number, () => void]> => {
    const server = createServer((socket) => {
      let correlation = 0;
      socket.on('data', () =>
        onRequest((body) => {
          const head = Buffer.alloc(8);
          head.writeInt32BE(4 + body.length, 0);
          head.writeInt32BE(++correlation, 4);
          const frame = Buffer.concat([head, body]);
          socket.write(frame.subarray(0, 3)); // a frame may arrive in pieces
          setImmediate(() => socket.write(frame.subarray(3)));
        }),
      );
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return [(server.address() as AddressInfo).port, () => server.close()];
  };

  it('asks ApiVersions, then Metadata', async () => {
    const [port, close] = await servedBy((answer) => answer(twoBrokers));
    await expect(askMetadata(port, 5_000)).resolves.toEqual([1, 7]);
    close();
  });

  it('rejects without an answer', async () => {
    const [port, close] = await servedBy(() => undefined);
    await expect(askMetadata(port, 50)).rejects.toThrow('no answer in 50 ms');
    close();
  });

  it('rejects when nothing listens', async () => {
    const [port, close] = await servedBy(() => undefined);
    close();
    await expect(askMetadata(port, 5_000)).rejects.toThrow('ECONNREFUSED');
  });
});
