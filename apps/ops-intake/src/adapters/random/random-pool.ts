import { randomFillSync } from 'node:crypto';
import type { FillRandomly } from '../../domain/randomness.ts';

const pool = Buffer.alloc(8_192);
let used = pool.length;

/** Random bytes of the system, drawn by the thousand, as asking it costs microseconds. */
export const fillRandomly: FillRandomly = (target, start) => {
  const count = target.length - start;
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (let index = 0; index < count; index += 1) target[start + index] = pool[used + index] as number;
  used += count;
};
