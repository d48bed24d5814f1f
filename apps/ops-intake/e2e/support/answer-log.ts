import type { Broker, ConsumedRecord } from '@workspace/kafka-broker';
import { bodyOf, capitalGainsCases, operationText } from './capital-gains.ts';

/** The answer to a submission: `unanswered` when the connection broke before an answer came. */
export type Outcome = 'acknowledged' | 'not-published' | 'unknown' | 'unanswered';

const bodies = capitalGainsCases.map(({ rows }) => bodyOf(rows).slice(0, -1));

/**
 * The body of submission `number`: one of the nine cases, ended by a purchase of worthless shares whose quantity is
 * the submission's number. So each record says which submission it is, and can be compared byte by byte.
 */
export const numberedBody = (number: number): string =>
  `${bodies[number % bodies.length]},${operationText('buy', '0.00', String(number + 1))}]`;

/** The number in a record's value; undefined when it is no numbered body. */
export const numberIn = (value: string): number | undefined => {
  const quantity = /"quantity":(\d+)}]$/.exec(value)?.[1];
  return quantity === undefined ? undefined : Number(quantity) - 1;
};

/** What an answer named of the record: its key, also where the outcome is unknown, and its place, in a 202 only. */
export interface Named {
  submissionId?: string;
  partition?: number;
  offset?: number;
}

/** All answers of the clients, to be compared with the log afterwards. */
export interface AnswerLog {
  /** Takes the next number. */
  next(): number;
  /** Notes one answer; a submission that is posted again gets several. */
  record(number: number, outcome: Outcome, named?: Named): void;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Reads the whole topic with Kafka's own consumer and compares. */
  audit(broker: Broker, topic: string): Promise<Audit>;
}

/** The log compared with the answers. All between `missing` and `wrongKey` must be 0. */
export interface Audit {
  acknowledged: number;
  unknown: number;
  records: number;
  /** acknowledged, but not in the log */
  missing: number;
  /** in the log more often than the answers allow (one, and one more for each unknown or unanswered) */
  doubled: number;
  /** only ever answered `not-published`, but in the log */
  notPublishedFound: number;
  /** bytes differ from the body that was posted: an operation, an order or a digit changed */
  altered: number;
  /** not at the partition and offset that the 202 named */
  misplaced: number;
  /** under another key than the answers named, or than an earlier copy */
  wrongKey: number;
  /** in the log although the client never got an answer: may be after kill -9, may not be after SIGTERM */
  unansweredFound: number;
}

interface Entry {
  acknowledged: boolean;
  /** answers after which a record may or may not exist */
  open: number;
  unknown: boolean;
  unanswered: boolean;
  where?: Named;
  copies: number;
  key?: string | null | undefined;
  placed: boolean;
}

export const createAnswerLog = (): AnswerLog => {
  const entries: Entry[] = [];
  const counts = { acknowledged: 0, 'not-published': 0, unknown: 0, unanswered: 0 };

  const record = (number: number, what: Outcome, named: Named = {}): void => {
    const entry = entries[number]!;
    counts[what] += 1;
    if (what === 'unknown') entry.unknown = true;
    if (what === 'unanswered') entry.unanswered = true;
    // After a 202 the same key makes no second record, whatever later answers say.
    if (!entry.acknowledged && (what === 'unknown' || what === 'unanswered')) entry.open += 1;
    if (what === 'acknowledged') {
      // A replayed 202 names the record of the first one.
      if (!entry.acknowledged) entry.where = named;
      entry.acknowledged = true;
    }
    entry.key ??= named.submissionId;
  };

  const audit = async (broker: Broker, topic: string): Promise<Audit> => {
    const found = { records: 0, altered: 0, wrongKey: 0 };
    await broker.consumeEach(topic, (record) => {
      found.records += 1;
      const entry = entries[numberIn(record.value) ?? -1];
      if (!entry || record.value !== numberedBody(numberIn(record.value)!)) found.altered += 1;
      else if (!enter(entry, record)) found.wrongKey += 1;
    });
    const count = (is: (entry: Entry) => boolean): number => entries.filter(is).length;
    return {
      acknowledged: count(({ acknowledged }) => acknowledged),
      unknown: count(({ acknowledged, unknown }) => !acknowledged && unknown),
      ...found,
      missing: count(({ acknowledged, copies }) => acknowledged && copies === 0),
      doubled: count(({ copies, open }) => copies > 1 + open),
      notPublishedFound: count(({ acknowledged, open, copies }) => !acknowledged && open === 0 && copies > 0),
      misplaced: count(({ acknowledged, copies, placed }) => acknowledged && copies > 0 && !placed),
      unansweredFound: count(
        ({ acknowledged, unanswered, copies }) => !acknowledged && unanswered && copies > 0,
      ),
    };
  };

  return {
    next: () =>
      entries.push({
        acknowledged: false,
        open: 0,
        unknown: false,
        unanswered: false,
        copies: 0,
        placed: false,
      }) - 1,
    record,
    counts,
    audit,
  };
};

/** Notes a record; false when it bears another key than was named, or than an earlier copy. */
const enter = (entry: Entry, { key, partition, offset }: ConsumedRecord): boolean => {
  entry.copies += 1;
  entry.placed ||= entry.where?.partition === partition && entry.where.offset === offset;
  entry.key ??= key;
  return entry.key === key;
};

/** The violations of an audit, in words; empty when all holds. */
export const violations = (audit: Audit): string[] => {
  const { missing, doubled, notPublishedFound, altered, misplaced, wrongKey } = audit;
  return Object.entries({ missing, doubled, notPublishedFound, altered, misplaced, wrongKey })
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${name}: ${count}`);
};
