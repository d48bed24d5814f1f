import { setTimeout as sleep } from 'node:timers/promises';

type NotYet = undefined | null | false;

/**
 * Checks again and again until something is there or true, where no event reports it.
 * @param what is waited for, for the error when it never comes
 * @param timeoutMs when it is given up, so that a test that hangs says why: long enough for the busiest machine
 * @returns what was found first
 * @throws with what `look` threw last as the cause
 */
export const eventually = async <T>(
  what: string,
  look: () => T | NotYet | Promise<T | NotYet>,
  timeoutMs = 300_000,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const found = await look();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      cause = error;
    }
    await sleep(20);
  } while (performance.now() < deadline);
  throw new Error(`no ${what} within ${timeoutMs} ms`, { cause });
};
