import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves with the first value that is not undefined; rejects, with what was last thrown, when none comes in time. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await look();
      if (value !== undefined) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`no ${what} within ${timeoutMs} ms`, { cause: last });
    await sleep(25);
  }
}
