import { randomFillSync } from 'node:crypto';
import type { FillRandomly } from '../../domain/randomness.ts';

const POOL_BYTES = 8_192;

/** Random bytes of the system, drawn by the thousand, as asking it costs microseconds. */
export const createRandomPool = (): FillRandomly => {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return (target, start) => {
    const count = target.length - start;
    if (used + count > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    for (let index = 0; index < count; index += 1) target[start + index] = pool[used + index] as number;
    used += count;
  };
};
