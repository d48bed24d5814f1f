import type { QueueResult, SubmissionOrder } from './submit.ts';

/** Whether a submission is queued, and all before it with its Partition-Key. Makes a promise only where a later one has to wait. */
export class QueuePosition implements SubmissionOrder {
  readonly before: Promise<QueueResult> | undefined;
  #own: QueueResult | undefined = undefined;
  #promise: Promise<QueueResult> | undefined = undefined;
  #resolve: ((result: QueueResult) => void) | undefined = undefined;

  constructor(before: QueuePosition | undefined) {
    this.before = before?.queued;
  }

  /** undefined: it is queued */
  get queued(): Promise<QueueResult> | undefined {
    if (this.#own === 'queued' && !this.before) return undefined;
    this.#promise ??= this.#all();
    return this.#promise;
  }

  over(result: QueueResult): void {
    this.#own ??= result;
    this.#resolve?.(this.#own);
  }

  #all(): Promise<QueueResult> {
    const own = this.#own
      ? Promise.resolve(this.#own)
      : new Promise<QueueResult>((resolve) => (this.#resolve = resolve));
    // One that is not queued, because its key was used before, is over at once: those after it still wait for those before it.
    return this.before ? this.before.then((result) => (result === 'refused' ? result : own)) : own;
  }
}
