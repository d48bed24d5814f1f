import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@workspace/testing';
import { type Stack, SUBMISSION } from './stack.ts';

export type KeyedLoad = ReturnType<typeof keyedLoad>;

/**
 * Submits records with keys of their own until `stop`; a client that does not get 202 retries with the same key, until
 * the timeout. `pauseMs`: how long a client waits after each; `credentials`: headers, which may change; `seen` is told each answer, or the message of each error.
 */
export const keyedLoad = (
  stack: Stack,
  {
    clients = 8,
    timeoutMs = 200_000,
    pauseMs = 0,
    credentials = {},
    seen = (_answered: string): void => undefined,
  } = {},
) => {
  /** submission ids by the key that they were acknowledged for */
  const acknowledged = new Map<string, string>();
  /** submission ids of which an answer said that they may be in Kafka */
  const unknownOutcomes = new Set<string>();
  /** how often each status was answered; of a problem, outcome and detail too */
  const statuses = new Map<string, number>();
  let stopped = false;
  /** Resolves with true after 202, else with what was answered. */
  const attempt = async (key: string): Promise<true | string> => {
    const headers = { ...SUBMISSION.headers, ...credentials, 'idempotency-key': `"${key}"` };
    const answer = await stack
      .ask('ops-intake', '/operations', { ...SUBMISSION, headers })
      .catch((error: Error) => error);
    const count = (answered: string) => {
      statuses.set(answered, (statuses.get(answered) ?? 0) + 1);
      seen(answered);
    };
    // Not `instanceof Error`: under Jest, Node's own errors are of another realm.
    if (!('status' in answer)) {
      count(answer.message);
      return answer.message;
    }
    const { submissionId, outcome, detail } = JSON.parse(answer.body) as Partial<Record<string, string>>;
    const answered =
      answer.status === 202 ? '202' : [answer.status, outcome, detail].filter(Boolean).join(' ');
    count(answered);
    if (outcome === 'unknown' && submissionId) unknownOutcomes.add(submissionId);
    if (answer.status !== 202) return answered;
    acknowledged.set(key, submissionId as string);
    return true;
  };
  const client = async () => {
    while (!stopped) {
      const key = randomUUID();
      let answered: true | string = 'nothing';
      await eventually(
        `202 for ${key}`,
        async () => (answered = await attempt(key)) === true,
        timeoutMs,
      ).catch((error: Error) => {
        throw new Error(`${error.message}; answered last: ${answered}`);
      });
      await sleep(pauseMs);
    }
  };
  const running = Array.from({ length: clients }, client);
  // Awaited by stop(); until then a rejection is not lost.
  const ended = Promise.all(running);
  ended.catch(() => undefined);
  return {
    acknowledged,
    unknownOutcomes,
    /** Resolves when that many more submissions were acknowledged. */
    more: (submissions: number) => {
      const wanted = acknowledged.size + submissions;
      return eventually(
        `${submissions} more 202`,
        () => {
          if (acknowledged.size >= wanted) return true;
          throw new Error(JSON.stringify(Object.fromEntries(statuses)));
        },
        1.5 * timeoutMs,
      );
    },
    /** Resolves with how often each status was answered. */
    stop: async () => {
      stopped = true;
      await ended;
      return Object.fromEntries(statuses);
    },
  };
};
