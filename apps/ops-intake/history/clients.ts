import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { submissionIdOf } from '../src/domain/submission-id.ts';
import type { Random } from '@workspace/testing/seeded-random';
import { numberedBody } from '../e2e/support/answer-log.ts';
import { type Answer, type History, keyOf } from './history.ts';

/** Longer than an instance takes to say at least `unknown` (DEADLINE_MS). */
const PATIENCE_MS = 8_000;

export interface Target {
  readonly name: string;
  readonly url: string;
}

/** Clients that send each submission until it is acknowledged, to any instance, and ask what became of it. */
export interface Clients {
  /** Lets no new submissions begin; resolves when the last ones have ended. */
  stop(): Promise<void>;
}

export const startClients = (
  targets: readonly Target[],
  history: History,
  random: Random,
  count: number,
): Clients => {
  const agent = new Agent({ headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS, connectTimeout: 1_000 });
  let next = 0;
  let isStopped = false;

  const submit = (number: number): Promise<Answer> => {
    const { name, url } = any(targets, random);
    return history.note({ number, op: 'submit', instance: name }, () =>
      ask(agent, `${url}/operations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': keyOf(number) },
        body: numberedBody(number),
      }),
    );
  };
  const status = (number: number): Promise<Answer> => {
    const { name, url } = any(targets, random);
    return history.note({ number, op: 'status', instance: name }, () =>
      ask(agent, `${url}/operations/${submissionIdOf(keyOf(number))}`, { method: 'GET' }),
    );
  };

  const client = async (): Promise<void> => {
    while (!isStopped) {
      const number = next;
      next += 1;
      // Some give up: answers about their keys must still be true.
      const attempts = random() < 0.2 ? 1 + Math.floor(random() * 3) : 200;
      let outcome: Answer | undefined;
      for (let attempt = 0; attempt < attempts && outcome?.answer !== 'accepted'; attempt += 1) {
        if (attempt > 0) await sleep(50 + random() * Math.min(2_000, 100 * 2 ** attempt));
        const asked = random() < 0.1 ? status(number) : undefined;
        // Impatient ones send it twice at the same time.
        const twice = random() < 0.1 ? submit(number) : undefined;
        outcome = await submit(number);
        const other = await twice;
        if (other?.answer === 'accepted') outcome = other;
        await asked;
      }
      if (random() < 0.3) await status(number);
      if (random() < 0.1) await submit(number);
      await sleep(random() * 100);
    }
  };
  const ended = Promise.all(Array.from({ length: count }, client));
  return {
    stop: async () => {
      isStopped = true;
      await ended;
      await agent.destroy();
    },
  };
};

const any = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random() * items.length)] as Item;

type Ask = { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };

/** What was answered, in the checker's words. */
const ask = async (dispatcher: Agent, url: string, options: Ask): Promise<Answer> => {
  let status: number;
  let text: string;
  try {
    const answer = await request(url, { dispatcher, ...options });
    status = answer.statusCode;
    text = await answer.body.text();
  } catch {
    return { answer: 'none' };
  }
  const body = JSON.parse(text) as {
    type?: string;
    outcome?: string;
    partition?: number;
    offset?: number;
  };
  const { partition, offset } = body;
  if (status === 202 || body.outcome === 'accepted') {
    return { answer: 'accepted', partition: partition as number, offset: offset as number };
  }
  // These published nothing themselves.
  if (status === 409) return { answer: 'in-flight' };
  if (body.type === 'urn:problem-type:idempotency-store-unavailable') return { answer: 'store-unavailable' };
  return { answer: body.outcome ?? `${status} ${body.type}` };
};
