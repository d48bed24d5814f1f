import type { Submission } from '../src/domain/submission.ts';
import { submissionIdOf, timeOfSubmissionId } from '../src/domain/submission-id.ts';
import type { SubmitResult } from '../src/application/submit-result.ts';
import { idempotencyLeaseMs } from '../src/config.ts';
import { config, type Instance } from './instance.ts';
import type { Draw } from './random.ts';
import { attemptNumber } from './ledger.ts';
import type { World } from './world.ts';

const TIMEOUT_MS = 10_000;
/** How long a client pauses at most before it sends a key again. */
const PAUSE_MS = 10_000;
/** How long after the last fault a key may have no answer: another attempt has it leased, and its client waits and pauses. */
const UNANSWERED_MS = idempotencyLeaseMs(config) + TIMEOUT_MS + PAUSE_MS;

/** Before an attempt has claimed its key, no server can know of it; it has until its deadline to do so. */
const unknownMs = (isKeyed: boolean): number => (isKeyed ? config.DEADLINE_MS : 0);

/** A request that was not answered. */
const NO_ANSWER = Symbol('no answer');

/** A client of the service: it submits one thing after the other, and each until it knows that it was accepted. */
export class Client {
  readonly #name: string;
  readonly #world: World;
  readonly #draw: Draw;
  isDone = false;
  /** what it submitted without a key, and knows the id of */
  readonly #submitted: { id: string; submission: Submission }[] = [];

  constructor(name: string, world: World, draw: Draw) {
    this.#name = name;
    this.#world = world;
    this.#draw = draw;
  }

  async run(): Promise<void> {
    const draw = this.#draw;
    const submissions = 2 + draw.index(6);
    const longestPauseMs = draw.between(200, 20_000);
    for (let number = 1; number <= submissions; number += 1) {
      await this.#pause(draw.between(10, longestPauseMs));
      const bytes = Buffer.from(
        `[{"operation":"buy","unit-cost":${this.#name.length}.50,"quantity":${draw.index(1e9) + 1}}]`,
      );
      const submission = { bytes, operations: 1 };
      if (draw.chance(0.6)) await this.#submitWithKey(submission, `${this.#name}-${number}`);
      else await this.#submitOnce(submission);
    }
    this.isDone = true;
  }

  /** Asks once more what became of its submissions, whatever else it does. */
  askAgain(): void {
    for (const { id, submission } of this.#submitted) void this.#find(id, submission);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#world.clock.schedule(milliseconds, resolve));
  }

  /** Mostly short, now and then as long as this. */
  #patience(longestMs: number): number {
    const draw = this.#draw;
    return draw.between(10, draw.chance(0.3) ? longestMs : longestMs / 10);
  }

  /** Sends until it is accepted; some clients ask first, and some send again what was accepted. */
  async #submitWithKey(submission: Submission, key: string): Promise<void> {
    const draw = this.#draw;
    const { clock, cluster, ledger } = this.#world;
    const id = submissionIdOf(key);
    const began = clock.now;
    // What is no longer in the log cannot be looked up: then `unknown` is the last word.
    for (let left = 10; left > 0 || !cluster.isCut; left -= 1) {
      const result = await this.#submit(submission, key);
      const isAccepted = result !== NO_ANSWER && result.outcome === 'accepted';
      if (isAccepted && draw.chance(0.6)) return;
      const calmSince = this.#world.lasting > 0 ? Infinity : Math.max(began, this.#world.disturbedAt);
      if (!isAccepted && !cluster.isCut && clock.now - calmSince > UNANSWERED_MS)
        return ledger.violation(`unanswered: ${key}, ${UNANSWERED_MS} ms after the last fault`);
      await this.#pause(this.#patience(isAccepted ? 60_000 : PAUSE_MS));
      if (draw.chance(this.#world.curiosity)) await this.#find(id, submission);
    }
  }

  async #submitOnce(submission: Submission): Promise<void> {
    const draw = this.#draw;
    const result = await this.#submit(submission, undefined);
    if (result === NO_ANSWER) return;
    const id =
      result.outcome === 'unknown'
        ? result.submissionId
        : result.outcome === 'accepted' && result.answer.submissionId;
    if (id) this.#submitted.push({ id, submission });
    while (id && draw.chance(this.#world.curiosity)) {
      await this.#pause(this.#patience(40_000));
      await this.#find(id, submission);
    }
  }

  async #submit(submission: Submission, key: string | undefined): Promise<SubmitResult | typeof NO_ANSWER> {
    const { ledger, clock, trace } = this.#world;
    let text = `${this.#name} submits ${key ?? 'without a key'}`;
    let attempt = '';
    const result = await this.#ask((instance) => {
      attempt = ledger.attempt(clock.now);
      text += ` at ${instance.machine.name}, attempt ${attemptNumber(attempt)}`;
      trace(text);
      this.#world.onRequest(instance);
      return instance.submit({ submission, idempotencyKey: key, trace: { traceparent: attempt } });
    });
    trace(`${text}: ${result === NO_ANSWER ? 'no answer' : JSON.stringify(result)}`);
    if (result === NO_ANSWER) return result;
    const at = clock.now;
    if (result.outcome === 'accepted')
      ledger.record({ kind: 'accepted', at, answer: result.answer, value: submission.bytes });
    if (result.outcome === 'not-published')
      ledger.record({
        kind: 'not-published',
        at: at - unknownMs(key !== undefined),
        attempt,
        id: key === undefined ? key : submissionIdOf(key),
      });
    return result;
  }

  async #find(id: string, { bytes: value }: Submission): Promise<void> {
    const { ledger, clock, trace } = this.#world;
    let askedAt = 0;
    let where = 'an instance';
    const found = await this.#ask((instance) => {
      askedAt = clock.now;
      this.#world.onRequest(instance);
      where = instance.machine.name;
      return instance.find(id, this.#name);
    });
    trace(
      `${this.#name} asks ${where} what became of ${id}: ${found === NO_ANSWER ? 'no answer' : JSON.stringify(found)}`,
    );
    if (found === NO_ANSWER) return;
    if (found.outcome === 'accepted')
      ledger.record({ kind: 'accepted', at: clock.now, answer: found.answer, value });
    const isKeyed = timeOfSubmissionId(id) === undefined;
    if (found.outcome === 'not-found')
      ledger.record({ kind: 'not-found', at: askedAt - unknownMs(isKeyed), id });
  }

  /** Sends a request to any instance, over a network that works. */
  #ask<Answer>(request: (instance: Instance) => Promise<Answer>): Promise<Answer | typeof NO_ANSWER> {
    const { clock, instances, ledger, network } = this.#world;
    const instance = this.#draw.one(instances);
    const { machine } = instance;
    return new Promise((resolve) => {
      const refuse = (): void => void clock.schedule(network.latency(), () => resolve(NO_ANSWER));
      clock.schedule(TIMEOUT_MS, () => resolve(NO_ANSWER));
      machine.onKilled.add(refuse);
      clock.schedule(network.latency(), () => {
        if (machine.state === 'dead') return refuse();
        machine.deliver(undefined, () => {
          request(instance).then(
            (answer) => {
              if (machine.state !== 'dead') clock.schedule(network.latency(), () => resolve(answer));
            },
            (error: Error) => ledger.violation(`failed: ${error.stack}`),
          );
        });
      });
    });
  }
}
