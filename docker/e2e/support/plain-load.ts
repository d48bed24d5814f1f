import { setTimeout as sleep } from 'node:timers/promises';
import { type Stack, SUBMISSION } from './stack.ts';

/** Submits records without keys until `stop`, each once. `seen` is told each answer, or the message of each error. */
export const plainLoad = (
  stack: Stack,
  { clients = 2, pauseMs = 20, seen = (_answered: string): void => undefined } = {},
) => {
  /** submission ids that were answered with 202 */
  const acknowledged = new Set<string>();
  /** submission ids of which an answer said that they may be in Kafka */
  const unknownOutcomes = new Set<string>();
  /** submissions that may be in Kafka under an id that nobody was told */
  let nameless = 0;
  let stopped = false;
  const submit = async (): Promise<string> => {
    const answer = await stack.ask('ops-intake', '/operations', SUBMISSION).catch((error: Error) => error);
    // Not `instanceof Error`: under Jest, Node's own errors are of another realm.
    if (!('status' in answer)) {
      nameless += 1;
      return answer.message;
    }
    const { submissionId, outcome, detail } = JSON.parse(answer.body) as Partial<Record<string, string>>;
    if (answer.status === 202) {
      acknowledged.add(submissionId!);
      return '202';
    }
    if (outcome === 'unknown' && submissionId) unknownOutcomes.add(submissionId);
    if (outcome === 'unknown' && !submissionId) nameless += 1;
    return [answer.status, outcome, detail].filter(Boolean).join(' ');
  };
  const client = async () => {
    while (!stopped) {
      seen(await submit());
      await sleep(pauseMs);
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, client));
  // Awaited by stop(); until then a rejection is not lost.
  ended.catch(() => undefined);
  return {
    acknowledged,
    unknownOutcomes,
    nameless: () => nameless,
    stop: async (): Promise<void> => {
      stopped = true;
      await ended;
    },
  };
};
