import { createServer } from 'node:net';

/**
 * Ports below the range from which the kernel takes the local end of outgoing connections (32768 on Linux): while a
 * broker is down, a client that reconnects in a loop could otherwise be given the broker's own port and talk to itself.
 * The same holds for the second port of a Redis Cluster's nodes, 10,000 above the first.
 */
const lowest = 12_000;
const highest = 22_700;

/** A port that is free at the moment, for programs that cannot choose one themselves. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0] as number;

/** `count` different TCP ports on 127.0.0.1 that nothing listens on at this moment. */
export const freePorts = async (count: number): Promise<number[]> => {
  const found = new Set<number>();
  while (found.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
};

/** Whether a listener could be opened on this port of 127.0.0.1 now. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
