import type { Socket } from 'node:net';
import type { Address } from '@workspace/ip-addresses';

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
