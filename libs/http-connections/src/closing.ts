import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionEnds, RawResponse } from './connection-ends.ts';
import type { Connection, OpenConnections } from './open-connections.ts';

/** How long a request that had begun when draining ended may take to arrive. */
const UNFINISHED_MS = 1_000;
/** How long an answer that has begun may stand still, waiting for its client, when the server closes. */
const STALLED_MS = 1_000;
const SWEEP_MS = 50;

export interface ClosingOptions {
  readonly open: OpenConnections;
  readonly ends: ConnectionEnds;
  /** how long a connection without a request stays open, in milliseconds */
  readonly idleMs: number;
  /** the response to an unfinished request */
  readonly answer: (request: IncomingMessage) => RawResponse;
}

/** Closes the open connections of a server that closes, as soon as each may be. */
export const closeConnections = ({ open, ends, idleMs, answer }: ClosingOptions): void => {
  const since = performance.now();
  const sweep = (): void => {
    const now = performance.now();
    for (const [socket, connection] of open) {
      // It has been ended, and lingers.
      if (socket.writableEnded) continue;
      const state = open.stateOf(socket);
      if (state === 'idle') {
        connection.idleSince ??= now;
        if (now - connection.idleSince >= idleMs) socket.destroy();
      } else if (isStalled(open, socket, connection, now)) socket.destroy();
      else if (state === 'unfinished' && now - since > UNFINISHED_MS)
        ends.end(socket, answer(connection.latest!));
    }
    // A response that began before draining did not announce the end of its connection, which becomes idle later.
    if (open.size > 0) setTimeout(sweep, SWEEP_MS).unref();
  };
  sweep();
};

const isStalled = (open: OpenConnections, socket: Socket, connection: Connection, now: number): boolean => {
  const response = open.responseOn(socket);
  const waitsForClient = response?.headersSent && (response.writableLength > 0 || !response.req.complete);
  if (!waitsForClient) return false;
  const bytes = socket.bytesRead + socket.bytesWritten - socket.writableLength;
  if (connection.moved?.bytes !== bytes) connection.moved = { bytes, at: now };
  return now - connection.moved.at > STALLED_MS;
};
