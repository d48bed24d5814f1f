import type { Clock, Timers } from '@workspace/service-process';
import { QueuePosition } from '../../application/queue-position.ts';
import type { Submit } from '../../application/submit.ts';
import type { SubmitOperations } from '../../application/submit-operations.ts';
import type { SubmitListener, SubmitResult } from '../../application/submit-result.ts';
import { submissionIdOf } from '../../domain/submission-id.ts';

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

/** A line that is not answered yet, or whose answer waits for those before it. */
class Entry<Line, Violation> implements SubmitListener {
  readonly line: Line;
  readonly bytes: number;
  readonly submit: Submit | undefined;
  began: number;
  readonly #onSettled: Settled<Line, Violation>;
  state: 'sent' | 'again' | 'answered' = 'sent';
  answer: StreamAnswer<Violation> | undefined = undefined;
  /** undefined without a Partition-Key */
  position: QueuePosition | undefined = undefined;
  /** It has a number, or comes after one that is on its way and has: it waits for the outcome of the one before. */
  isInOrder = false;
  /** Begins the next submission with its Partition-Key, which waits for the outcome of this one. */
  next: (() => void) | undefined = undefined;

  constructor(
    line: Line,
    bytes: number,
    submit: Submit | undefined,
    began: number,
    onSettled: Settled<Line, Violation>,
  ) {
    this.line = line;
    this.bytes = bytes;
    this.submit = submit;
    this.began = began;
    this.#onSettled = onSettled;
  }

  resolved(result: SubmitResult): void {
    this.#onSettled(this, result);
  }

  failed(error: unknown): void {
    this.#onSettled(this, { outcome: 'failed', error });
  }
}

type Settled<Line, Violation> = (
  entry: Entry<Line, Violation>,
  answer: SubmitResult | { outcome: 'failed'; error: unknown },
) => void;

/** It waited for another one, and was not begun; an earlier stream may have published it. */
const notBegun = ({ idempotencyKey = '', principal }: Submit): SubmitResult => ({
  outcome: 'unknown',
  reason: 'no-answer',
  submissionId: submissionIdOf(idempotencyKey, principal),
});

/** Whether nothing was published for a reason that may be over soon. */
const mayPass = (result: SubmitResult): boolean => {
  if (result.outcome === 'not-published')
    return result.reason === 'queue-full' || result.reason === 'log-unavailable';
  if (result.outcome === 'out-of-sequence') return result.reason === 'pending';
  return result.outcome === 'unknown' && result.reason !== 'no-answer';
};

/**
 * The submissions of one stream: many at once, answered in their order. One that finds the queue full, Kafka or the store
 * unavailable, or its key in use by an earlier attempt, is tried again until its deadline. Until then no later one is begun,
 * so that the stream waits instead of running through its submissions while none can be taken. Where one has a
 * number, it and those after it with its Partition-Key wait for the outcome of the one before, and are tried again when that one is.
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
  /** by Partition-Key, the last submission on its way */
  readonly #newestByKey = new Map<string, Entry<Line, Violation>>();
  readonly #onSettled: Settled<Line, Violation> = (entry, answer) => this.#settled(entry, answer);

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

  /** Keeps the position of a line that is no submission. */
  refuse(line: Line, bytes: number, violation: Violation): void {
    const entry = this.#enter(line, bytes);
    entry.state = 'answered';
    entry.answer = { outcome: 'refused', violation };
  }

  /** The next line that is answered after all before it. */
  take(): { readonly line: Line; readonly answer: StreamAnswer<Violation> } | undefined {
    const [first] = this.#entries;
    if (first?.state !== 'answered') return undefined;
    this.#entries.shift();
    this.#bytes -= first.bytes;
    return first as Entry<Line, Violation> & { readonly answer: StreamAnswer<Violation> };
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
    const entry = new Entry(line, bytes, submit, began, this.#onSettled);
    this.#entries.push(entry);
    this.#bytes += bytes;
    return entry;
  }

  #send(entry: Entry<Line, Violation>, submit: Submit): void {
    entry.state = 'sent';
    entry.isInOrder = false;
    this.#sent += 1;
    const { partitionKey, sequence } = submit;
    const before = partitionKey === undefined ? undefined : this.#newestByKey.get(partitionKey);
    if (partitionKey !== undefined) {
      entry.position = new QueuePosition(before?.position);
      this.#newestByKey.set(partitionKey, entry);
    }
    submit.order = entry.position;
    entry.isInOrder = sequence !== undefined || before?.isInOrder === true;
    if (before?.state === 'sent' && entry.isInOrder) before.next = () => this.#beginWaiting(entry, submit);
    else if (entry.isInOrder && this.#isBehindRetry(entry)) this.#settled(entry, notBegun(submit), true);
    else this.#begin(entry, submit);
  }

  #begin(entry: Entry<Line, Violation>, submit: Submit): void {
    this.#options.submitOperations(submit, entry);
  }

  #beginWaiting(entry: Entry<Line, Violation>, submit: Submit): void {
    const { clock, timers } = this.#options;
    const isBehindRetry = this.#isBehindRetry(entry);
    if (isBehindRetry || this.#isStopped) return this.#settled(entry, notBegun(submit), isBehindRetry);
    entry.began = timers.now();
    this.#begin(entry, { ...submit, now: clock() });
  }

  /** Whether an earlier submission with the same Partition-Key will be tried again: the number is not yet the next one. */
  #isBehindRetry(entry: Entry<Line, Violation>): boolean {
    if (this.#again === 0) return false;
    const { partitionKey } = entry.submit!;
    for (const other of this.#entries) {
      if (other === entry) return false;
      if (other.state === 'again' && other.submit?.partitionKey === partitionKey) return true;
    }
    return false;
  }

  #settled(
    entry: Entry<Line, Violation>,
    answer: SubmitResult | { outcome: 'failed'; error: unknown },
    isBehindRetry = false,
  ): void {
    // One that was settled before those before it are queued still keeps its position: later ones wait behind it.
    const { position } = entry;
    if (position?.before) void position.before.then(() => this.#forget(entry));
    else this.#forget(entry);
    const { deadlineMs, timers, onChange } = this.#options;
    this.#sent -= 1;
    entry.answer = answer;
    const isAgain =
      isBehindRetry ||
      (answer.outcome !== 'failed' && mayPass(answer) && timers.now() - entry.began < deadlineMs);
    position?.over(isAgain ? 'refused' : 'queued');
    if (isAgain) {
      entry.state = 'again';
      this.#again += 1;
    } else entry.state = 'answered';
    const { next } = entry;
    entry.next = undefined;
    // Not at once: a thousand may wait for each other.
    if (next) void Promise.resolve().then(next);
    this.#sendAgainLater();
    if (entry.state === 'answered' && this.#entries[0] === entry) onChange();
    if (this.#sent === 0) this.#onIdle?.();
  }

  #forget(entry: Entry<Line, Violation>): void {
    const partitionKey = entry.submit?.partitionKey;
    if (partitionKey !== undefined && this.#newestByKey.get(partitionKey) === entry)
      this.#newestByKey.delete(partitionKey);
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
      // One that was refused at once again keeps its position: those after it may be smaller, and find room.
      else if (this.#again > 0) this.#again += 1;
      else this.#send(entry, { ...entry.submit!, now: clock() });
    }
    onChange();
  }
}
