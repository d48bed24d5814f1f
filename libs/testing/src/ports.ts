import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Ports below the range from which the kernel takes the local end of outgoing connections (32768 on Linux): while a
 * broker is down, a client that reconnects in a loop could otherwise be given the broker's own port and talk to itself.
 * The same holds for the second port of a Redis Cluster's nodes, 10,000 above the first.
 */
const lowest = 12_000;
const highest = 22_000;

/** A port that is free at the moment, for programs that cannot choose one themselves. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0] as number;

/**
 * `count` different TCP ports on 127.0.0.1 that nothing listens on at this moment, and that no other call gives, in this process
 * or another one, while this process runs: a broker takes seconds to open the port that it was given.
 */
export const freePorts = async (count: number): Promise<number[]> => {
  const found: number[] = [];
  while (found.length < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if ((await reserve(port)) && (await isFree(port))) found.push(port);
  }
  return found;
};

/** Takes the UDP port 10,000 above, which nothing here uses: a lock that goes with the process. @returns whether it was free */
const reserve = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind({ port: port + 10_000, address: '127.0.0.1', exclusive: true }, () => resolve(true));
    socket.unref();
  });

/** Whether a listener could be opened on this port of 127.0.0.1 now. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
