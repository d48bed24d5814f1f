/** Whether the process is shutting down. From `start()` on it is not ready, and its responses close their connections. */
export interface Drain {
  readonly draining: boolean;
  start(): void;
  /** Calls `listener` when draining starts. */
  onStart(listener: () => void): void;
}

export const createDrain = (): Drain => {
  let draining = false;
  const listeners: (() => void)[] = [];
  return {
    get draining() {
      return draining;
    },
    start() {
      if (draining) return;
      draining = true;
      for (const listener of listeners) listener();
    },
    onStart: (listener) => void listeners.push(listener),
  };
};
