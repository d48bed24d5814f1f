import type { Socket } from 'node:net';

/** How long a client may go on sending a request that is already answered, and how long when the server closes. */
const LINGER_MS = 10_000;
const CLOSING_LINGER_MS = 1_000;
/** How long it may send nothing meanwhile. */
const LINGER_SILENCE_MS = 1_000;
/** How much of it is read and dropped at most. */
const LINGER_BYTES = 8 * 1_048_576;
const SWEEP_MS = 50;

/**
 * Bounds what is still read of a connection whose client sends a request that is already answered: beyond that, the socket is
 * destroyed.
 */
export const linger = (
  socket: Socket,
  options: {
    /** whether the request has arrived whole; without it, until the connection is closed */
    readonly isOver?: () => boolean;
    /** whether the server closes */
    readonly isClosing: () => boolean;
  },
): void => {
  const isOver = (): boolean => socket.destroyed || options.isOver?.() === true;
  if (isOver()) return;
  const limit = socket.bytesRead + LINGER_BYTES;
  const began = performance.now();
  let bytes = socket.bytesRead;
  let readAt = began;
  const timer = setInterval(() => {
    if (isOver()) {
      clearInterval(timer);
      return;
    }
    const now = performance.now();
    if (socket.bytesRead > bytes) readAt = now;
    bytes = socket.bytesRead;
    const lingerMs = options.isClosing() ? CLOSING_LINGER_MS : LINGER_MS;
    if (bytes > limit || now - readAt > LINGER_SILENCE_MS || now - began > lingerMs) socket.destroy();
  }, SWEEP_MS).unref();
};
