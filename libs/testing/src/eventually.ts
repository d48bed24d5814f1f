import { setTimeout as sleep } from 'node:timers/promises';

type NotYet = undefined | null | false;

/**
 * Checks again and again until something is there or true, where no event reports it.
 * @param what is waited for, for the error when it does not come in time
 * @returns what was found first
 * @throws with what `look` threw last as the cause
 */
export const eventually = async <T>(
  what: string,
  look: () => T | NotYet | Promise<T | NotYet>,
  timeoutMs = 60_000,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  while (performance.now() < deadline) {
    try {
      const found = await look();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      cause = error;
    }
    await sleep(20);
  }
  throw new Error(`no ${what} within ${timeoutMs} ms`, { cause });
};
