import type { Socket } from 'node:net';
import type { Address } from '@workspace/ip-addresses';

/**
 * Reads what comes on a connection before HTTP, and no byte of HTTP. It either calls `begin`, once, or destroys the socket. It
 * may leave bytes to HTTP by `unshift`, and must then resume the socket after `begin`.
 */
export type Preface = (socket: Socket, begin: () => void) => void;

/** Who opened a connection, as its preface says. */
export interface ConnectionClient {
  readonly address: Address;
  /** whether headers of requests cannot name another client, even if the address is that of a trusted proxy */
  readonly isFinal: boolean;
}

const clients = new WeakMap<Socket, ConnectionClient>();

export const setConnectionClient = (socket: Socket, client: ConnectionClient): void =>
  void clients.set(socket, client);

/** @returns undefined when no preface was read: the client is the other end of the socket */
export const connectionClient = (socket: Socket): ConnectionClient | undefined => clients.get(socket);
