import type { Clock, Timers } from '@workspace/service-kit';
import type { Submit, SubmitOperations, SubmitResult, SubmitTurn } from './submit-operations.ts';

/** What a line of a stream is answered with. */
export type StreamAnswer<Violation> =
  | SubmitResult
  /** it is no submission */
  | { readonly outcome: 'refused'; readonly violation: Violation }
  /** an error of ours: it may be in the log */
  | { readonly outcome: 'failed'; readonly error: unknown };

export interface SubmissionStreamOptions {
  submitOperations: SubmitOperations;
  /** milliseconds in which a submission that finds no room, or no Kafka, is tried again */
  deadlineMs: number;
  /** most submissions of the stream that are worked on at once */
  submissions: number;
  /** most bytes of them; a single one may have more */
  bytes: number;
  clock: Clock;
  timers: Timers;
  /** called when there may be something to do for who drives the stream */
  onChange: () => void;
}

/** Between two attempts. */
const RETRY_MS = 100;

interface Entry<Line, Violation> {
  readonly line: Line;
  readonly bytes: number;
  readonly submit: Submit | undefined;
  readonly began: number;
  state: 'sent' | 'again' | 'answered';
  answer: StreamAnswer<Violation> | undefined;
}

/** Whether nothing was published for a reason that may be over soon. */
const mayPass = (result: SubmitResult): boolean => {
  if (result.outcome === 'not-published')
    return result.reason === 'queue-full' || result.reason === 'log-unavailable';
  return result.outcome === 'unknown' && result.reason !== 'no-answer';
};

/**
 * The submissions of one stream: many at once, answered in their order. One that finds the queue full, Kafka or the store
 * unavailable, or its key in use by an earlier attempt, is tried again until its deadline. Until then no later one is begun,
 * so that the stream waits instead of running through its submissions while none can be taken.
 */
export class SubmissionStream<Line, Violation> {
  readonly #options: SubmissionStreamOptions;
  readonly #entries: Entry<Line, Violation>[] = [];
  #bytes = 0;
  #sent = 0;
  #again = 0;
  #isRetryDue = false;
  #isStopped = false;
  #onIdle: (() => void) | undefined;
  /** by Partition-Key, what has to be queued before the next submission with it */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: SubmissionStreamOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Whether another line of this size can be added now. */
  hasRoomFor(bytes: number): boolean {
    if (this.#entries.length === 0) return true;
    const { submissions, bytes: mostBytes } = this.#options;
    return this.#again === 0 && this.#entries.length < submissions && this.#bytes + bytes <= mostBytes;
  }

  /** Submits a line. */
  add(line: Line, bytes: number, submit: Submit): void {
    this.#send(this.#enter(line, bytes, submit), submit);
  }

  /** Keeps the place of a line that is no submission. */
  refuse(line: Line, bytes: number, violation: Violation): void {
    const entry = this.#enter(line, bytes);
    entry.state = 'answered';
    entry.answer = { outcome: 'refused', violation };
  }

  /** The next line that is answered after all before it. */
  take(): { line: Line; answer: StreamAnswer<Violation> } | undefined {
    const [first] = this.#entries;
    if (first?.state !== 'answered') return undefined;
    this.#entries.shift();
    this.#bytes -= first.bytes;
    return { line: first.line, answer: first.answer! };
  }

  /** Tries nothing again: what is known now is the answer. */
  stop(): void {
    this.#isStopped = true;
    this.#sendAgainLater();
  }

  /** Resolves when nothing is on its way. */
  idle(): Promise<void> {
    return this.#sent === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onIdle = resolve));
  }

  #enter(line: Line, bytes: number, submit?: Submit): Entry<Line, Violation> {
    const began = this.#options.timers.now();
    const entry: Entry<Line, Violation> = { line, bytes, submit, began, state: 'sent', answer: undefined };
    this.#entries.push(entry);
    this.#bytes += bytes;
    return entry;
  }

  #send(entry: Entry<Line, Violation>, submit: Submit): void {
    entry.state = 'sent';
    this.#sent += 1;
    const turn = this.#turnOf(submit.partitionKey);
    this.#options.submitOperations(turn ? { ...submit, turn } : submit).then(
      (result) => this.#settled(entry, result, turn),
      (error: unknown) => this.#settled(entry, { outcome: 'failed', error }, turn),
    );
  }

  #turnOf(partitionKey: string | undefined): SubmitTurn | undefined {
    if (partitionKey === undefined) return undefined;
    const before = this.#turns.get(partitionKey);
    let resolve!: () => void;
    const queued = new Promise<void>((done) => (resolve = done));
    this.#turns.set(partitionKey, queued);
    const over = (): void => {
      if (this.#turns.get(partitionKey) === queued) this.#turns.delete(partitionKey);
      resolve();
    };
    return { before, over };
  }

  #settled(
    entry: Entry<Line, Violation>,
    answer: SubmitResult | { outcome: 'failed'; error: unknown },
    turn: SubmitTurn | undefined,
  ): void {
    turn?.over();
    const { deadlineMs, timers, onChange } = this.#options;
    this.#sent -= 1;
    entry.answer = answer;
    const isAgain = answer.outcome !== 'failed' && mayPass(answer) && timers.now() - entry.began < deadlineMs;
    if (isAgain) {
      entry.state = 'again';
      this.#again += 1;
    } else entry.state = 'answered';
    this.#sendAgainLater();
    if (entry.state === 'answered' && this.#entries[0] === entry) onChange();
    if (this.#sent === 0) this.#onIdle?.();
  }

  /** Not before all others have their outcome: what is sent again keeps its order then. */
  #sendAgainLater(): void {
    if (this.#again === 0 || this.#sent > 0 || this.#isRetryDue) return;
    this.#isRetryDue = true;
    const { timers } = this.#options;
    timers.setTimeout(() => this.#sendAgain(), this.#isStopped ? 0 : RETRY_MS, undefined);
  }

  #sendAgain(): void {
    const { clock, onChange } = this.#options;
    this.#isRetryDue = false;
    this.#again = 0;
    for (const entry of this.#entries) {
      if (entry.state !== 'again') continue;
      if (this.#isStopped) entry.state = 'answered';
      else this.#send(entry, { ...entry.submit!, now: clock() });
    }
    onChange();
  }
}
