import { appendFileSync, writeFileSync } from 'node:fs';
import type { ConsumedRecord } from '@workspace/kafka-broker';
import { numberedBody, numberIn } from '../e2e/support/answer-log.ts';

/** What an instance said of a key, as the checker reads it (checker/model.go). */
export interface Answer {
  readonly answer: string;
  readonly partition?: number;
  readonly offset?: number;
}

export interface Request {
  /** number of the submission, of which key and body are made */
  readonly number: number;
  readonly op: 'submit' | 'status';
  readonly instance: string;
}

/** A history in a file, a line for each request and each record. */
export interface History {
  /** Sends a request and notes when it was sent, what was answered, and when. */
  note(request: Request, send: () => Promise<Answer>): Promise<Answer>;
  /** Notes a record that is in the topic at the end. */
  found(record: ConsumedRecord): void;
  /** how often each answer came, by request */
  readonly answers: ReadonlyMap<string, number>;
  /** keys that were acknowledged */
  readonly acknowledged: ReadonlySet<number>;
}

export const keyOf = (number: number): string => `key-${number}`;

export const createHistory = (file: string): History => {
  writeFileSync(file, '');
  const write = (event: object): void => appendFileSync(file, `${JSON.stringify(event)}\n`);
  const microseconds = (): number => Math.round(performance.now() * 1_000);
  const answers = new Map<string, number>();
  const acknowledged = new Set<number>();
  return {
    answers,
    acknowledged,
    note: async ({ number, op, instance }, send) => {
      const called = microseconds();
      const answer = await send();
      write({ key: keyOf(number), op, instance, called, returned: microseconds(), ...answer });
      const kind = `${op}: ${answer.answer}`;
      answers.set(kind, (answers.get(kind) ?? 0) + 1);
      if (answer.answer === 'accepted') acknowledged.add(number);
      return answer;
    },
    found: ({ value, partition, offset }) => {
      const number = numberIn(value);
      const isWhole = number !== undefined && value === numberedBody(number);
      const key = number === undefined ? `${partition}/${offset}` : keyOf(number);
      write({ key, op: 'record', partition, offset, ...(!isWhole && { altered: true }) });
    },
  };
};
