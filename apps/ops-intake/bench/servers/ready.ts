process.on('SIGINT', () => process.exit(0));
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends the parent the port to load. */
export const ready = (server: Server): void => {
  process.send?.({ port: (server.address() as AddressInfo).port });
};
