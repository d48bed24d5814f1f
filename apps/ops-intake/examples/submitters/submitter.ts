/**
 * Submits operations to ops-intake, each exactly once whatever fails.
 *
 *     npx openapi-typescript http://localhost:3000/openapi.json -o openapi.d.ts
 *     node submitter.ts http://localhost:3000 <submissions.tsv
 *
 * Each line of the input is an Idempotency-Key, a tab and the array of operations. Keep the key with the order before you send it: a
 * program that starts again sends the same line again. Prints the key, `accepted`, `rejected` or `unknown`, and the answer. TOKEN is sent as
 * a bearer token.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from './openapi.d.ts';

type Problem = components['schemas']['Problem'];
type Outcome = components['schemas']['SubmissionOutcome']['outcome'] | Problem['outcome'];
type Content = { status: number; outcome?: Outcome; statusUrl?: Problem['statusUrl'] };

interface Answer {
  status: number;
  retryAfterMs: number;
  content: Content;
}

const GIVE_UP_MS = 600_000;
const LONGEST_PAUSE_MS = 10_000;
const service = process.argv[2] ?? 'http://localhost:3000';
const token = process.env['TOKEN'];

/** Sends the submission, or asks what became of it; undefined when there is no answer. */
const ask = async (url: string, key: string, body?: string): Promise<Answer | undefined> => {
  const headers = new Headers(token ? { authorization: `Bearer ${token}` } : {});
  if (body) headers.set('content-type', 'application/json');
  if (body) headers.set('idempotency-key', key);
  try {
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(url, { headers, signal, ...(body && { method: 'POST', body }) });
    const { status } = answer;
    const seconds = /^\d{1,3}$/.exec(answer.headers.get('retry-after') ?? '')?.[0]; // others are from a proxy
    const retryAfterMs = Number(seconds ?? 0) * 1_000;
    const isJson = answer.headers.get('content-type')?.includes('json');
    const content = isJson ? ((await answer.json()) as Content | string | null) : null;
    return { status, retryAfterMs, content: content instanceof Object ? content : { status } };
  } catch {
    return undefined;
  }
};

/** What became of the submission, and the answer that says so. */
const submit = async (key: string, body: string): Promise<[outcome: string, content: Content]> => {
  let statusUrl: string | undefined;
  const givesUpAt = performance.now() + GIVE_UP_MS;
  for (let pauseMs = 100; performance.now() < givesUpAt; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const answer = statusUrl ? await ask(statusUrl, key) : await ask(`${service}/operations`, key, body);
    if (answer) {
      const { status, retryAfterMs, content } = answer;
      if (status === 202 || (status === 200 && content.outcome === 'accepted')) return ['accepted', content];
      // It is not in the log: send it again, with the same key.
      if (statusUrl && status === 404) statusUrl = undefined;
      // Not of this submission: an earlier attempt may have written it.
      else if (status === 401 || status === 403) return ['unknown', content];
      else if (!statusUrl && status < 500 && retryAfterMs === 0 && ![408, 429].includes(status))
        return ['rejected', content];
      else if (content.outcome === 'unknown' && content.statusUrl)
        statusUrl = new URL(content.statusUrl, service).href;
    }
    // No answer says nothing of the submission. With the same key it is safe to send it again.
    await sleep(Math.max(answer?.retryAfterMs ?? 0, pauseMs * (0.5 + Math.random() / 2)));
  }
  throw new Error(`${key}: not known after ${GIVE_UP_MS} ms; run this again with the same line`);
};

for await (const line of createInterface({ input: process.stdin })) {
  const [key = '', ...operations] = line.split('\t');
  const [outcome, content] = await submit(key, operations.join('\t'));
  if (outcome !== 'accepted') process.exitCode = 1;
  console.log([key, outcome, JSON.stringify(content)].join('\t'));
}
