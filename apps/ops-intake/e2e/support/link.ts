import type { Socket } from 'node:net';
import type { Random } from '@workspace/testing/seeded-random';

/** A bad line. Everything absent means a perfect one. */
export interface LinkQuality {
  /** Milliseconds each frame takes, ± jitterMs. */
  latencyMs?: number;
  jitterMs?: number;
  bytesPerSecond?: number;
  /** Hands the bytes on in pieces of this size. */
  sliceBytes?: number;
}

/** One direction of a connection: frames go in, and come out in order, as late and as sliced as the line is bad. */
export interface Link {
  /** A `hold` keeps this frame, and all behind it, longer. */
  send(frame: Buffer, hold?: Hold): void;
}

/** How much longer a frame takes. */
export interface Hold {
  ms?: number;
  /** until this resolves */
  until?: Promise<unknown>;
}

interface Sending {
  frame: Buffer;
  due: number;
  until: Promise<unknown> | undefined;
}

export const openLink = (socket: Socket, quality: () => LinkQuality, random: Random): Link => {
  const queue: Sending[] = [];
  let busy = false;
  let lastDue = 0;

  const write = async (frame: Buffer, { sliceBytes, bytesPerSecond }: LinkQuality): Promise<void> => {
    const size = sliceBytes ?? (bytesPerSecond ? Math.ceil(bytesPerSecond / 50) : frame.length);
    for (let at = 0; at < frame.length && !socket.destroyed; at += size) {
      const piece = frame.subarray(at, at + size);
      socket.write(piece);
      if (bytesPerSecond) await delay((piece.length / bytesPerSecond) * 1000);
      else if (at + size < frame.length) await new Promise(setImmediate);
    }
  };

  const pump = async (): Promise<void> => {
    busy = true;
    for (let next = queue.shift(); next && !socket.destroyed; next = queue.shift()) {
      await delay(next.due - performance.now());
      await next.until;
      if (!socket.destroyed) await write(next.frame, quality());
    }
    busy = false;
  };

  return {
    send: (frame, { ms = 0, until } = {}) => {
      if (socket.destroyed) return;
      const { latencyMs = 0, jitterMs = 0, bytesPerSecond, sliceBytes } = quality();
      if (!busy && latencyMs + ms === 0 && !until && !bytesPerSecond && !sliceBytes) {
        socket.write(frame);
        return;
      }
      const late = latencyMs + (random() * 2 - 1) * jitterMs + ms;
      lastDue = Math.max(lastDue, performance.now() + late);
      queue.push({ frame, due: lastDue, until });
      if (!busy) void pump();
    },
  };
};

const delay = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
