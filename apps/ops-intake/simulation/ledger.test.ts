import { createFakePartition, encodeRecordBatch, type StoredBatch } from '@workspace/kafka-producer/testing';
import { acceptedSubmission } from '../src/application/submission-record.ts';
import { Ledger } from './ledger.ts';

const value = Buffer.from('[1]');

/** A ledger with one accepted submission, and the log that has it. */
const history = () => {
  const ledger = new Ledger();
  const partition = createFakePartition();
  let sequence = 0;
  /** An instance publishes what it was asked to. */
  const publish = (id: string, at: number, bytes = value, traceparent = ledger.attempt(at)): number => {
    const record = { key: id, value: bytes, headers: { ce_id: id, traceparent } };
    const identity = { id: 1n, epoch: 0 };
    const batch = encodeRecordBatch([record], { identity, baseSequence: sequence++, timestamp: Date.now() });
    return partition.append(batch).baseOffset;
  };
  const accept = (id: string, offset: number): void => {
    const answer = acceptedSubmission(id, 1, { topic: 't', partition: 0, offset });
    ledger.record({ kind: 'accepted', at: 2_000, answer, value });
  };
  const judge = (truncated: readonly StoredBatch[] = []) => ledger.judge([partition.batches], truncated);
  accept('first', publish('first', 1_000));
  return { ledger, partition, publish, accept, judge };
};

describe('the checker of the simulation', () => {
  it('finds nothing wrong with a history that keeps every promise', async () => {
    const { ledger, publish, judge } = history();
    ledger.record({ kind: 'not-found', at: 2_000, id: 'second' });
    publish('second', 3_000);
    expect(await judge()).toEqual([]);
  });

  it('reports a second record of a submission', async () => {
    const { publish, judge } = history();
    publish('first', 9_000);
    expect(await judge()).toEqual(['doubled: first is 2 times in the log (attempt 1, attempt 2)']);
  });

  it('excuses what was begun before the loss of a claim was noticed, and nothing later', async () => {
    const { ledger, partition, publish } = history();
    publish('first', 9_000);
    const judge = (until: number) =>
      ledger.judge([partition.batches], [], (id, at) => id === 'first' && at <= until);
    expect(await judge(9_000)).toEqual([]);
    expect(await judge(8_999)).toHaveLength(1);
    ledger.record({ kind: 'not-found', at: 9_500, id: 'first' });
    expect(await judge(9_500)).toEqual([]);
    expect(await judge(9_499)).toHaveLength(1);
    publish('first', 9_000);
    expect(await judge(9_500)).toHaveLength(1);
  });

  it('reports an accepted submission that is not in the log', async () => {
    const { partition, judge } = history();
    partition.truncate(1);
    expect(await judge()).toEqual(['lost: first, accepted at 2.000 s, is not at 0/0']);
  });

  it('excuses what the operator let be lost', async () => {
    const { partition, judge } = history();
    expect(await judge(partition.truncate(1))).toEqual([]);
  });

  it('reports an answer with another place than the record has', async () => {
    const { accept, judge } = history();
    accept('first', 7);
    expect(await judge()).toEqual(['lost: first, accepted at 2.000 s, is not at 0/7']);
  });

  it('reports a record that is not what was submitted', async () => {
    const { accept, publish, judge } = history();
    accept('second', publish('second', 1_500, Buffer.from('[2]')));
    expect(await judge()).toEqual(['altered: second']);
  });

  it('reports a false not-found: what was begun before is in the log', async () => {
    const { ledger, publish, judge } = history();
    publish('second', 3_000);
    ledger.record({ kind: 'not-found', at: 4_000, id: 'second' });
    expect(await judge()).toEqual([
      'false not-found: second at 4.000 s; attempt 2, begun at 3.000 s, is in the log',
    ]);
  });

  it('reports a false not-published with a key: an earlier attempt is in the log', async () => {
    const { ledger, publish, judge } = history();
    publish('second', 3_000);
    const third = ledger.attempt(3_500);
    ledger.record({ kind: 'not-published', at: 4_000, attempt: third, id: 'second' });
    expect(await judge()).toEqual([
      'false not-published: second at 4.000 s; attempt 2, begun at 3.000 s, is in the log',
    ]);
  });

  it('reports a false not-published without a key', async () => {
    const { ledger, publish, judge } = history();
    const attempt = ledger.attempt(3_000);
    publish('second', 3_000, value, attempt);
    ledger.record({ kind: 'not-published', at: 4_000, attempt, id: undefined });
    expect(await judge()).toEqual([
      'false not-published: second at 4.000 s; attempt 2, begun at 3.000 s, is in the log',
    ]);
  });
});
