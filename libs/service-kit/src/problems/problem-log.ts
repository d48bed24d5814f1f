import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { ProblemError, ProblemType } from './problem-error.ts';

/** How long problems of one type are left out after one was logged; it doubles while they keep coming, up to the latter. */
const QUIET_MS = 1_000;
const LONGEST_QUIET_MS = 60_000;

type WriteLine = (left: { leftOut?: number }) => void;
interface Quiet {
  /** since the last line */
  leftOut: number;
  /** logs the latest one left out */
  write?: WriteLine;
  timer: NodeJS.Timeout;
}

export interface ProblemLog {
  report(problem: ProblemError, request: FastifyRequest): void;
  /** @param reason Node's code for what it could not read, or not in time */
  unreadable(type: ProblemType, reason: string | undefined): void;
  /** logs what is still left out */
  flush(): void;
}

/**
 * The level follows responsibility: our failure → error with its cause; no capacity or a missing dependency → warn; the
 * client → info.
 *
 * An outage, a flood or a scanner leads to thousands of problems a second for one reason, which would push everything else
 * out of a log of limited size. The first problem of a type is logged at once. Those that follow are counted: after a second,
 * the latest of them is logged with the number left out, and as long as they keep coming, ever more rarely, down to one line
 * a minute. A type is a code; internal failures are distinguished by their place. Nothing is left uncounted.
 */
export const createProblemLog = (appLog: FastifyBaseLogger): ProblemLog => {
  const quiet = new Map<string, Quiet>();

  const sample = (type: string, write: WriteLine): void => {
    const current = quiet.get(type);
    if (current) {
      current.leftOut += 1;
      current.write = write;
      return;
    }
    write({});
    keepQuiet(type, QUIET_MS);
  };
  const keepQuiet = (type: string, forMs: number): void => {
    const timer = setTimeout(() => {
      if (writeLatest(type)) keepQuiet(type, Math.min(2 * forMs, LONGEST_QUIET_MS));
    }, forMs);
    quiet.set(type, { leftOut: 0, timer: timer.unref() });
  };
  /** Ends the quiet time of a type; false when nothing was left out. */
  const writeLatest = (type: string): boolean => {
    const { leftOut, write, timer } = quiet.get(type)!;
    clearTimeout(timer);
    quiet.delete(type);
    write?.(leftOut > 1 ? { leftOut: leftOut - 1 } : {});
    return write !== undefined;
  };

  return {
    report: (problem, { method, routeOptions, log }) => {
      const { status, code } = problem.type;
      const cause = problem.options.cause;
      // Only what is logged is kept, not the request with its body.
      const fields = { code, status, method, route: routeOptions?.url };
      if (status === 500) {
        const err = cause ?? problem;
        sample(`${code} ${placeOf(err)}`, (left) => log.error({ ...fields, err, ...left }, 'request failed'));
      } else if (status > 500) {
        sample(code, (left) => log.warn({ ...fields, err: cause, ...left }, 'request not served'));
      } else {
        sample(code, (left) => log.info({ ...fields, ...left }, 'request rejected'));
      }
    },
    unreadable: ({ code, status }, reason) =>
      sample(code, (left) => appLog.info({ code, status, reason, ...left }, 'request rejected')),
    flush: () => [...quiet.keys()].forEach(writeLatest),
  };
};

/** Where an error was made: there are as many as lines of code, whatever clients send. */
const placeOf = (error: unknown): string =>
  (error instanceof Error && /\n +at .*/.exec(error.stack ?? '')?.[0].trim()) || 'unknown';
