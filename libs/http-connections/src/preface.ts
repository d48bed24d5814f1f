import type { Socket } from 'node:net';

/**
 * Reads what comes on a connection before HTTP, and no byte of HTTP. It either calls `begin`, once, or destroys the socket. It
 * may leave bytes to HTTP by `unshift`, and must then resume the socket after `begin`.
 */
export type Preface = (socket: Socket, begin: () => void) => void;
