/**
 * Runs of a task one after the other; while one runs, all calls wait for the same one after it.
 * @param task never rejects. It gets `true` when one of the calls that it serves was forced
 */
export const coalesce = (task: (force: boolean) => Promise<void>): ((force?: boolean) => Promise<void>) => {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let isForced = false;
  return (force = false) => {
    isForced ||= force;
    next ??= running = running.then(() => {
      const forced = isForced;
      next = undefined;
      isForced = false;
      return task(forced);
    });
    return next;
  };
};
