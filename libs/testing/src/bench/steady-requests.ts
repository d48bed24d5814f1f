import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SteadyLoad {
  readonly url: string;
  /** of a POST, as JSON; a GET without */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface SteadyTimes {
  /** milliseconds until each answer was read, the shortest first */
  readonly sorted: readonly number[];
  /** how many requests had another answer than 2xx, or none */
  readonly failed: number;
}

/** The times of requests that begin at a steady rate, whether those before are answered or not. */
export const steadyRequests = async ({ perSecond, seconds, ...load }: SteadyLoad): Promise<SteadyTimes> => {
  const agent = new Agent({ keepAlive: true });
  const all: Promise<number | undefined>[] = [];
  const began = performance.now();
  while (all.length < perSecond * seconds) {
    const waitMs = began + (all.length * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    // Settled here: one that fails while others are still sent is no unhandled rejection.
    all.push(ask(load, agent).catch(() => undefined));
  }
  const answered = (await Promise.all(all)).filter((time) => time !== undefined);
  agent.destroy();
  return { sorted: answered.toSorted((a, b) => a - b), failed: all.length - answered.length };
};

const ask = (
  { url, body, headers }: Pick<SteadyLoad, 'url' | 'body' | 'headers'>,
  agent: Agent,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    request(url, { agent, headers: { ...type, ...headers }, method }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode! < 300) resolve(performance.now() - began);
        else reject(new Error(`${url}: ${response.statusCode}`));
      });
    })
      .once('error', reject)
      .end(body);
  });

/** The time that a part of the requests did not exceed: 0.99 for the p99. */
export const timeOfPart = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? NaN;

export const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
