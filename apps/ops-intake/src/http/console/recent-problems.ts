import type { FastifyRequest } from 'fastify';
import type { Clock, ProblemError } from '@workspace/service-kit';

/** A problem that was answered lately, as the console shows it. */
export interface RecentProblem {
  readonly at: string;
  readonly status: number;
  readonly code: string;
  readonly title: string;
  /** what happened, or the first violation */
  readonly detail?: string;
  readonly requestId: string;
}

const MOST_REMEMBERED = 20;

/** Remembers the latest problems, the newest first. */
export class RecentProblems {
  readonly #clock: Clock;
  #latest: RecentProblem[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  record({ kind, options }: ProblemError, { id }: FastifyRequest): void {
    const { status, code, title } = kind;
    const [first] = options.errors ?? [];
    const detail = options.detail ?? (first && `${first.pointer} ${first.detail}`);
    const at = this.#clock().toISOString();
    const problem = { at, status, code, title, ...(detail !== undefined && { detail }), requestId: id };
    this.#latest = [problem, ...this.#latest.slice(0, MOST_REMEMBERED - 1)];
  }

  latest(): readonly RecentProblem[] {
    return this.#latest;
  }
}
