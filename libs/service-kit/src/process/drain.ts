/** Whether the process is shutting down. From `start()` on it is not ready, and its responses close their connections. */
export interface Drain {
  readonly draining: boolean;
  start(): void;
}

export const createDrain = (): Drain => {
  let draining = false;
  return {
    get draining() {
      return draining;
    },
    start() {
      draining = true;
    },
  };
};
