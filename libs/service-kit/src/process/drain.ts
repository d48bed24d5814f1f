/** Whether a process is on its way out. Readiness falls and replies close their connections from `start()` on. */
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
