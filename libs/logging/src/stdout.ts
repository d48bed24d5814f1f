import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const STDOUT = 1;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** How many bytes were written: perhaps none where a process that shares stdout has made it non-blocking, and its reader is slow. */
const writeSome = (bytes: Buffer, from: number): number => {
  try {
    return writeSync(STDOUT, bytes, from);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(sleeper, 0, 0, 10);
    return 0;
  }
};

/**
 * Synchronous: the last line of a dying process is the one that matters. A line that cannot be written, as when the disk is full or
 * the reader has gone, is dropped: whatever logs must not fail by it. pino's own destination waits for ever in `fatal` then,
 * and stays silent once it has kept as many lines as it may.
 */
export const openStdout = (): DestinationStream => {
  let isTorn = false;
  return {
    write: (line) => {
      const bytes = Buffer.from(isTorn ? `\n${line}` : line);
      let written = 0;
      try {
        while (written < bytes.length) written += writeSome(bytes, written);
        isTorn = false;
      } catch {
        isTorn ||= written > 0;
      }
    },
  };
};
