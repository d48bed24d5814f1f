const waiting: (() => void)[] = [];

const next = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
};

/**
 * Resolves in a later turn of the event loop, one caller a turn: pieces of long work then never add up in one turn, however
 * many requests have some, and everything else is served in between.
 */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
