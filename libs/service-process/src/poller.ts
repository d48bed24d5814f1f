/**
 * Runs a task from time to time and on SIGHUP, one run after the other; while one runs, all calls wait for the same one after it.
 * It polls rather than waits for notifications, which do not cross network file systems and the symbolic links of mounted volumes.
 */
export class Poller {
  readonly #task: (force: boolean) => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isForced = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param task never rejects. It gets `true` when one of the calls that it serves was forced */
  constructor(task: (force: boolean) => Promise<void>) {
    this.#task = task;
  }

  /** Begins to poll, until `stop()`; the timer does not keep the process alive. SIGHUP forces a run. */
  start(milliseconds: number): void {
    this.#timer = setInterval(() => void this.run(), milliseconds).unref();
    process.on('SIGHUP', this.#force);
  }

  /** Runs the task now; resolves after it. */
  run(force = false): Promise<void> {
    this.#isForced ||= force;
    this.#next ??= this.#running = this.#running.then(() => {
      const isForced = this.#isForced;
      this.#next = undefined;
      this.#isForced = false;
      return this.#task(isForced);
    });
    return this.#next;
  }

  /** @returns when the last run has ended; do not wait for one that hangs */
  stop(): Promise<void> {
    clearInterval(this.#timer);
    process.off('SIGHUP', this.#force);
    return this.#running;
  }

  readonly #force = (): void => void this.run(true);
}
