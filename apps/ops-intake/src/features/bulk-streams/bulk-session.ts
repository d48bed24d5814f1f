import type { IncomingMessage } from 'node:http';
import { yieldToEventLoop } from '@workspace/http-connections';
import { commonProblems, ProblemError, type ProblemType } from '@workspace/service-kit/problems';
import type { Clock, Timers } from '@workspace/service-process';
import { SubmissionStream, type SubmissionStreamOptions } from './submission-stream.ts';
import type { Submit } from '../../application/submit.ts';
import type { SubmitOperations } from '../../application/submit-operations.ts';
import type { ReadPlainSubmission } from '../../http/submit/submission-body.ts';
import { acceptedText, type AnsweredLine, endText, problemOfLine, problemText } from './bulk-answer.ts';
import type { BulkLine } from './bulk-line.ts';
import { asProblem, type LineReaderOptions, readSubmissionLine, type SubmissionLine } from './line-reader.ts';
import { type BulkText, LineSplitter } from './line-splitter.ts';
import { readPlainLine } from './plain-line.ts';

export interface BulkLimits extends Pick<SubmissionStreamOptions, 'submissions' | 'bytes' | 'deadlineMs'> {
  /** most bytes of a line */
  readonly lineBytes: number;
  /** milliseconds for which the answer may go unread while lines still arrive */
  readonly unreadMs: number;
}

export interface BulkSessionOptions extends LineReaderOptions {
  readonly limits: BulkLimits;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly submitOperations: SubmitOperations;
  /** undefined with schemas of one's own */
  readonly readPlainSubmission: ReadPlainSubmission | undefined;
  /** what is submitted for a line, by whom */
  readonly submitOf: (line: BulkLine, submission: Submit['submission'], now: Date) => Submit;
  /** Called before each line. @throws ProblemError 429, at once or by rejection: for the line, which may be tried again */
  readonly charge?: (() => Promise<void> | undefined) | undefined;
  /** Called before each line: it may have waited for long since it arrived. Rejects with the ProblemError that ends the stream. */
  readonly check: () => Promise<void> | undefined;
  /** who submits; undefined without authentication */
  readonly principal: string | undefined;
  readonly onAnswered: (status: number, operations: number) => void;
  /** called with every problem that a line is answered with */
  readonly onProblem?: ((problem: ProblemError, line: AnsweredLine) => void) | undefined;
  readonly onFailure: (error: unknown) => void;
}

/** About what a violation takes until it is answered: a short line may have a hundred. */
const VIOLATION_BYTES = 256;

const NOT_TRIED = 'Lines without an answer were not published by this request: send them again.';

/**
 * One stream of submissions: reads lines as fast as they can be submitted and their answers are taken, and no faster.
 * Everything that it holds is bounded by its limits, whatever its client does.
 */
export class BulkSession {
  readonly #body: IncomingMessage;
  readonly #options: BulkSessionOptions;
  readonly #splitter: LineSplitter;
  readonly #stream: SubmissionStream<AnsweredLine, ProblemError>;
  /** the line that comes next, while it cannot be submitted */
  #next: BulkText | undefined;
  /** until when the line that comes next is tried, by the monotonic clock, and whether it waits for its allowance */
  #chargeUntil: number | undefined;
  #isWaiting = false;
  /** whether the request has arrived, and whether all its lines were submitted */
  #isComplete = false;
  #isDone = false;
  #isGone = false;
  /** why no more lines are read */
  #end: ProblemError | undefined;
  #wake: (() => void) | undefined;
  #isChanged = false;

  constructor(body: IncomingMessage, options: BulkSessionOptions) {
    const { limits, submitOperations, clock, timers } = options;
    this.#body = body;
    this.#options = options;
    this.#splitter = new LineSplitter(limits.lineBytes);
    const onChange = (): void => this.#change();
    this.#stream = new SubmissionStream({ ...limits, submitOperations, clock, timers, onChange });
    body.on('readable', onChange);
    body.once('end', () => {
      this.#isComplete = true;
      this.#change();
    });
    const onClose = (): void => (this.#isComplete ? undefined : this.leave());
    body.once('error', onClose);
    body.once('close', onClose);
  }

  /** Ends the stream once the lines that were begun are answered. */
  end(problem: ProblemError): void {
    this.#end ??= problem;
    this.#stream.stop();
    this.#change();
  }

  /** Reads and answers nothing more: there is no client. What was begun goes on. */
  leave(): void {
    this.#isGone = true;
    this.#stream.stop();
    this.#change();
  }

  /** Resolves when nothing of the stream is on its way. */
  idle(): Promise<void> {
    return this.#stream.idle();
  }

  /** The answers, as text. Nothing is read or submitted while they are not taken. */
  async *answers(): AsyncGenerator<string> {
    while (!this.#isGone) {
      await this.#submitNext();
      const text = this.#answered();
      if (text !== '') yield* this.#readSoon(text);
      else if (!this.#stream.isEmpty || !(this.#isDone || this.#end)) await this.#changed();
      else {
        if (!this.#isDone) yield endText(this.#end!);
        return;
      }
    }
  }

  /** Submits what has arrived, as far as there is room: one chunk in an iteration of the event loop, of all streams. */
  async #submitNext(): Promise<void> {
    const { check, charge, clock } = this.#options;
    // When the lines were taken: it is read once for those that are submitted without waiting.
    let now = clock();
    while (!this.#end && !this.#isGone && !this.#isWaiting) {
      this.#next ??= this.#splitter.next();
      if (!this.#next) {
        if (!this.#read()) return;
        await yieldToEventLoop();
        now = clock();
        continue;
      }
      if (!this.#stream.hasRoomFor(this.#next.taken)) return;
      const checked = check();
      if (checked) {
        await checked.catch((error: unknown) => this.end(asProblem(error)));
        now = clock();
        continue;
      }
      if (charge) {
        if (!(await this.#isCharged(charge))) continue;
        now = clock();
      }
      const line = this.#next;
      this.#next = undefined;
      const submitted = this.#submit(line, now);
      if (!submitted) continue;
      await submitted;
      now = clock();
    }
  }

  /** @returns whether there may be another line */
  #read(): boolean {
    const chunk = this.#body.read() as Buffer | null;
    if (chunk) this.#splitter.add(chunk);
    else if (!this.#isComplete) return false;
    else {
      this.#splitter.end();
      this.#next = this.#splitter.next();
      this.#isDone = !this.#next;
    }
    return !this.#isDone;
  }

  /** Whether the client may have another line submitted now. One that it may not for long is answered. */
  async #isCharged(charge: () => Promise<void> | undefined): Promise<boolean> {
    const { timers, limits } = this.#options;
    try {
      const charged = charge();
      if (charged) await charged;
      this.#chargeUntil = undefined;
      return true;
    } catch (error) {
      const problem = asProblem(error);
      const waitMs = Number(problem.options.headers?.['retry-after'] ?? Infinity) * 1_000;
      this.#chargeUntil ??= timers.now() + limits.deadlineMs;
      if (timers.now() + waitMs <= this.#chargeUntil) {
        this.#isWaiting = true;
        timers.setTimeout(() => this.#endWait(), waitMs, undefined);
        return false;
      }
      this.#chargeUntil = undefined;
      const { number, taken } = this.#next!;
      this.#next = undefined;
      this.#stream.refuse({ number, key: undefined }, taken, problem);
      return false;
    }
  }

  #endWait(): void {
    this.#isWaiting = false;
    this.#change();
  }

  #submit(text: BulkText, now: Date): Promise<void> | void {
    const { limits, submitOf, readPlainSubmission, clock } = this.#options;
    const plain = readPlainSubmission && readPlainLine(text);
    const submission = plain && readPlainSubmission(plain.bytes);
    if (submission) {
      this.#stream.add(plain, text.taken, submitOf(plain, submission, now));
      return;
    }
    const add = (read: SubmissionLine): void => {
      if (!read.problem)
        return this.#stream.add(read.line, text.taken, submitOf(read.line, read.submission, clock()));
      const violations = read.problem.options.errors?.length ?? 0;
      this.#stream.refuse(read.line, text.taken + violations * VIOLATION_BYTES, read.problem);
    };
    const read = readSubmissionLine(text, limits.lineBytes, this.#options);
    return read instanceof Promise ? read.then(add) : add(read);
  }

  /** The answers to all lines that have one, up to the first that has none. */
  #answered(): string {
    const { onAnswered, onFailure, onProblem, principal } = this.#options;
    let text = '';
    for (let next = this.#stream.take(); next; next = this.#stream.take()) {
      const { line, answer } = next;
      if (answer.outcome === 'accepted') {
        text += acceptedText(line, answer);
        onAnswered(202, answer.replayed ? 0 : answer.answer.operations);
        continue;
      }
      if (answer.outcome === 'failed') onFailure(answer.error);
      const problem = problemOfLine(answer, line, principal);
      text += problemText(line, problem);
      onProblem?.(problem, line);
      onAnswered(problem.type.status, 0);
    }
    return text;
  }

  /**
   * Passes answers on. A client that sends everything before it reads would wait for this service for ever, and this service
   * for the client, once the answers fill all buffers. Then the rest of the lines is read and dropped, so that the client
   * gets to reading.
   */
  *#readSoon(text: string): Generator<string> {
    const { limits, timers } = this.#options;
    const timer = timers.setTimeout(() => this.#dropRest(), limits.unreadMs, undefined);
    timer.unref();
    try {
      yield text;
    } finally {
      timers.clearTimeout(timer);
    }
  }

  #dropRest(): void {
    if (this.#isComplete || this.#isGone) return;
    this.end(
      new ProblemError(commonProblems['body-too-large'], {
        detail: `The client kept sending lines, but did not read the answer for ${this.#options.limits.unreadMs / 1_000} s. Read while you send, or send fewer lines. ${NOT_TRIED}`,
      }),
    );
    this.#body.removeAllListeners('readable');
    this.#body.resume();
  }

  #change(): void {
    this.#isChanged = true;
    const wake = this.#wake;
    this.#wake = undefined;
    // In the next iteration of the event loop: one acknowledgement of Kafka is for many lines, which then go out together.
    if (wake) setImmediate(wake);
  }

  async #changed(): Promise<void> {
    if (!this.#isChanged) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isChanged = false;
  }
}

/** 503 for lines that were not tried. An earlier stream may have published them under their keys. */
export const notTried = (type: ProblemType, detail = NOT_TRIED): ProblemError =>
  new ProblemError(type, { detail, members: { outcome: 'unknown' }, headers: { 'retry-after': '1' } });

/** The last line of a stream when the service stops. */
export const draining = (): ProblemError => notTried(commonProblems.draining);
