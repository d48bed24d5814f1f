import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { IncomingRequest } from './incoming-request.ts';
import type { OpenConnections } from './open-connections.ts';

/**
 * A body has to bring so many bytes in each such time, 500 a second: the rate that Apache's mod_reqtimeout asks for by default.
 * Not on average: a client could send most of a body at once, and the rest for ever.
 */
const PACE_BYTES = 5_000;
const PACE_MS = 10_000;
const PACE_SWEEP_MS = 1_000;
/** How often connections without a timer are searched for. */
const TIMER_SWEEP_MS = 10_000;

/** Reports a body that arrives too slowly as Node does one that takes too long: by `clientError`. */
export const watchPace = (server: Server, open: OpenConnections): void => {
  const check = (): void => {
    const at = performance.now();
    for (const [socket, connection] of open) {
      const { latest: request, pace } = connection;
      if (!request || !isBodyAwaited(open, socket, request)) connection.pace = undefined;
      else if (pace?.request !== request || socket.bytesRead - pace.bytes >= PACE_BYTES)
        connection.pace = { request, bytes: socket.bytesRead, at };
      else if (at - pace.at >= PACE_MS) server.emit('clientError', tooSlow(), socket);
    }
  };
  // After what has arrived is read: this process may have stood still.
  const timer = setInterval(() => setImmediate(check), PACE_SWEEP_MS).unref();
  server.once('close', () => clearInterval(timer));
};

/** Whether the next bytes of a body are up to its client. While an answer is sent, as for a stream, its client may wait for that. */
const isBodyAwaited = (open: OpenConnections, socket: Socket, request: IncomingMessage): boolean => {
  const response = open.responseOn(socket);
  return (
    response?.req === request &&
    !response.headersSent &&
    !request.complete &&
    request.readableFlowing === true &&
    request.readableLength === 0 &&
    !(request as IncomingRequest).isHeld
  );
};

const tooSlow = (): Error =>
  Object.assign(new Error('The body arrives too slowly.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/**
 * Closes connections on which nothing moves. Node's own `server.timeout` sets a timer for every request. Here only connections
 * that are found without one, because their request takes long, get a timer.
 */
export const watchSilence = (server: Server, open: OpenConnections, silenceMs: number): void => {
  const giveTimers = (): void => {
    for (const socket of open.keys()) if (!socket.timeout) socket.setTimeout(silenceMs);
  };
  const timer = setInterval(giveTimers, Math.min(TIMER_SWEEP_MS, silenceMs)).unref();
  server.once('close', () => clearInterval(timer));
};
