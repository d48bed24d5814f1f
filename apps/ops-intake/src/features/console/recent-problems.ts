import type { FastifyRequest } from 'fastify';
import type { ProblemError } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import { isCounted } from './recent-answers.ts';

/** A problem that a client was answered with lately, as the console shows it. */
export interface RecentProblem {
  readonly at: string;
  readonly status: number;
  readonly code: string;
  /** what happened and each violation; the title when there is nothing else to say */
  readonly details: readonly string[];
  readonly requestId: string;
}

const MOST_REMEMBERED = 20;

/** Violations that are remembered of one problem, and characters of each; the answer itself has them all. */
const MOST_VIOLATIONS = 20;
const MOST_CHARACTERS = 500;

/** A client names members as it likes, up to the limit of bodies, and each open console gets what is remembered. */
const shortened = (text: string): string =>
  text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;

/** Remembers the latest problems, the newest first. */
export class RecentProblems {
  readonly #clock: Clock;
  #latest: RecentProblem[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record({ type, options }: ProblemError, { id, routeOptions }: FastifyRequest): void {
    if (!isCounted(routeOptions.url)) return;
    const { status, code, title } = type;
    const errors = options.errors ?? [];
    const more = errors.length - MOST_VIOLATIONS;
    const details = [
      ...(options.detail === undefined ? [] : [options.detail]),
      ...errors.slice(0, MOST_VIOLATIONS).map(({ pointer, detail }) => `${pointer} ${detail}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ];
    const at = this.#clock().toISOString();
    const problem = {
      at,
      status,
      code,
      details: details.length > 0 ? details.map(shortened) : [title],
      requestId: id,
    };
    this.#latest = [problem, ...this.#latest.slice(0, MOST_REMEMBERED - 1)];
  }

  latest(): readonly RecentProblem[] {
    return this.#latest;
  }
}
