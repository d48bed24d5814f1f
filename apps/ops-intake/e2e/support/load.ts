import { Agent, type Dispatcher, request } from 'undici';
import { type AnswerLog, type Named, type Outcome, numberedBody } from './answer-log.ts';

/** One answer, or none. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  ms: number;
}

/** A span of time, by `performance.now()`. */
export interface Span {
  from: number;
  until: number;
}

/** A load of clients that post without pause, each waiting for its answer. */
export interface Load {
  /** Answers so far by status; 0 for none. */
  readonly statuses: ReadonlyMap<number, number>;
  /** 202s so far. */
  readonly acceptedCount: number;
  /** Milliseconds each 202 took, without the first request of each client, which opens its connection. */
  readonly acceptedMs: readonly number[];
  /** The longest any answer took, in milliseconds. */
  readonly slowestMs: number;
  /** Requests that were answered `unknown`: `performance.now()` when each was sent and answered. */
  readonly unknowns: readonly Span[];
  /** 503s without Retry-After or without an outcome. */
  readonly incomplete: number;
  /** `performance.now()` of the last 202. */
  readonly lastAccepted: number;
  /** Resolves at the next 202. */
  accepted(): Promise<void>;
  /** Lets the requests that are out end, and no new ones begin. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  url: () => string;
  answers: AnswerLog;
  clients?: number;
  /**
   * Every n-th submission bears an Idempotency-Key and is posted again after `unknown` or no answer, until it is known
   * (as a careful client does). 0 for none.
   */
  keyedEvery?: number;
  /** Milliseconds a client rests after any answer but 202: far less than Retry-After asks for. */
  restMs?: number;
  /** of every request */
  headers?: Readonly<Record<string, string>>;
}

export const startLoad = ({
  url,
  answers,
  clients = 64,
  keyedEvery = 0,
  restMs = 50,
  headers = {},
}: LoadOptions): Load => {
  const agent = new Agent({
    connections: clients,
    pipelining: 1,
    headersTimeout: 60_000,
    connectTimeout: 2_000,
  });
  const statuses = new Map<number, number>();
  const acceptedMs: number[] = [];
  const unknowns: Span[] = [];
  let acceptedCount = 0;
  let slowestMs = 0;
  let incomplete = 0;
  let lastAccepted = 0;
  let stopped = false;
  let waiting: (() => void)[] = [];

  const submit = async (number: number, key: string | undefined, isFirst: boolean): Promise<Outcome> => {
    const answer = await post(agent, url(), numberedBody(number), {
      ...headers,
      ...(key && { 'idempotency-key': key }),
    });
    statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1);
    if (!answer) return note(number, 'unanswered');
    slowestMs = Math.max(slowestMs, answer.ms);
    if (answer.status === 202) {
      acceptedCount += 1;
      if (!isFirst) acceptedMs.push(answer.ms);
      lastAccepted = performance.now();
      for (const resolve of waiting) resolve();
      waiting = [];
      return note(number, 'acknowledged', answer.body);
    }
    const outcome = answer.body['outcome'];
    if (answer.status === 503 && !(answer.headers['retry-after'] && outcome)) incomplete += 1;
    // A conflict with the client's own earlier request, whose connection broke and which is still processed.
    if (answer.status === 409) return 'unknown';
    if (outcome !== 'unknown') return note(number, 'not-published');
    if (!answer.body['submissionId']) incomplete += 1;
    const until = performance.now();
    unknowns.push({ from: until - answer.ms, until });
    return note(number, 'unknown', answer.body);
  };

  const note = (number: number, outcome: Outcome, named?: Named): Outcome => {
    answers.record(number, outcome, named);
    return outcome;
  };

  const client = async (): Promise<void> => {
    for (let isFirst = true; !stopped; isFirst = false) {
      const number = answers.next();
      const key = keyedEvery && number % keyedEvery === 0 ? `submission-${number}` : undefined;
      let outcome = await submit(number, key, isFirst);
      while (key && outcome !== 'acknowledged' && !stopped) {
        await pause(100);
        outcome = await submit(number, key, isFirst);
      }
      if (outcome !== 'acknowledged') await pause(restMs);
    }
  };

  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    statuses,
    acceptedMs,
    unknowns,
    get acceptedCount() {
      return acceptedCount;
    },
    get slowestMs() {
      return slowestMs;
    },
    get incomplete() {
      return incomplete;
    },
    get lastAccepted() {
      return lastAccepted;
    },
    accepted: () => new Promise((resolve) => waiting.push(resolve)),
    stop: async () => {
      stopped = true;
      await running;
      await agent.destroy();
    },
  };
};

/** Posts one body; undefined when no answer came. */
export const post = async (
  dispatcher: Dispatcher,
  url: string,
  body: string | Buffer,
  headers: Record<string, string> | undefined | '' = undefined,
): Promise<Answer | undefined> => {
  const began = performance.now();
  try {
    const answer = await request(`${url}/operations`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(headers || {}) },
      body,
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      body: (text ? JSON.parse(text) : {}) as Record<string, unknown>,
      headers: answer.headers,
      ms: performance.now() - began,
    };
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return undefined;
  }
};

/** The value below which `share` of the numbers are. */
export const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
