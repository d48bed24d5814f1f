import type { ServerResponse } from 'node:http';

const createYield = (): ((response?: ServerResponse) => Promise<void>) => {
  /** In the order in which they asked. A connection has one request at a time here, so connections take turns, too. */
  const waiting = new Set<() => void>();
  /** Whether the next turn is arranged: also while all who waited for it have left. */
  let isArranged = false;
  const arrange = (): void => {
    if (isArranged) return;
    isArranged = true;
    setImmediate(next);
  };
  const next = (): void => {
    isArranged = false;
    for (const resume of waiting) {
      waiting.delete(resume);
      resume();
      break;
    }
    if (waiting.size > 0) arrange();
  };
  return (response) =>
    new Promise((resolve) => {
      if (response?.destroyed) return;
      waiting.add(resolve);
      arrange();
      response?.once('close', () => waiting.delete(resolve));
    });
};

/**
 * Resolves in a later turn of the event loop, one caller a turn: pieces of long work then never add up in one turn, however
 * many requests have some, and everything else is served in between.
 *
 * @param response what the work is for: once its connection is closed, it never resolves, and takes no turn
 */
export const yieldToEventLoop = createYield();
