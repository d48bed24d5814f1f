import { createProduceTracker } from './produce-tracker.ts';

const OK = 0;
const MESSAGE_TOO_LARGE = 10;
const NOT_LEADER = 6;
const NOT_ENOUGH_REPLICAS = 19;
const OUT_OF_ORDER = 45;

/** A request frame up to its correlation id, which is all the tracker reads. */
const request = (apiKey: number, correlationId: number, version = 7): Buffer => {
  const frame = Buffer.alloc(20);
  frame.writeInt16BE(apiKey, 4);
  frame.writeInt16BE(version, 6);
  frame.writeInt32BE(correlationId, 8);
  return frame;
};

/** A Produce answer for topic `t`: [partition, error code, base offset] each. */
const answer = (correlationId: number, partitions: [number, number, number][], tail = 16): Buffer => {
  const head = Buffer.alloc(19);
  head.writeInt32BE(correlationId, 4);
  head.writeInt32BE(1, 8);
  head.writeInt16BE(1, 12);
  head.write('t', 14);
  head.writeInt32BE(partitions.length, 15);
  const bodies = partitions.map(([partition, errorCode, baseOffset]) => {
    const body = Buffer.alloc(14 + tail);
    body.writeInt32BE(partition, 0);
    body.writeInt16BE(errorCode, 4);
    body.writeBigInt64BE(BigInt(baseOffset), 6);
    return body;
  });
  return Buffer.concat([head, ...bodies, Buffer.alloc(4)]);
};

/** A tracker after the given Produce frames, each with its answer or none. */
const after = (answers: ([number, number, number][] | undefined)[]) => {
  const tracker = createProduceTracker();
  const connection = tracker.connection();
  tracker.begin();
  for (const [id, partitions] of answers.entries()) {
    connection.wrote(request(0, id));
    if (partitions) connection.read(answer(id, partitions));
  }
  return tracker;
};

describe('the tracker of Produce frames', () => {
  it('says not written when nothing was written', () => {
    expect(after([]).outcome(0)).toEqual({ rejected: undefined });
  });

  it('says unknown when a frame was not answered', () => {
    expect(after([undefined]).outcome(0)).toBe('unknown');
    expect(after([undefined, [[0, NOT_ENOUGH_REPLICAS, -1]]]).outcome(0)).toBe('unknown');
    expect(after([undefined, [[0, OUT_OF_ORDER, -1]]]).outcome(0)).toBe('unknown');
  });

  it('says rejected when every frame was rejected before the append', () => {
    const rejectedThrice = after(Array.from({ length: 3 }, () => [[0, NOT_ENOUGH_REPLICAS, -1]]));
    expect(rejectedThrice.outcome(0)).toEqual({ rejected: NOT_ENOUGH_REPLICAS });
    expect(rejectedThrice.written).toBe(3);
  });

  it('says unknown after an error that can follow an append', () => {
    expect(after([[[0, NOT_LEADER, -1]]]).outcome(0)).toBe('unknown');
  });

  it('judges each partition by itself', () => {
    const tracker = after([
      [
        [0, OK, 41],
        [1, MESSAGE_TOO_LARGE, -1],
      ],
    ]);
    expect(tracker.outcome(0)).toEqual({ acknowledged: 41 });
    expect(tracker.outcome(1)).toEqual({ rejected: MESSAGE_TOO_LARGE });
  });

  it('takes an acknowledgement on any attempt', () => {
    expect(after([undefined, [[0, OK, 7]]]).outcome(0)).toEqual({ acknowledged: 7 });
  });

  it('forgets the last send, also when its answer comes late', () => {
    const tracker = createProduceTracker();
    const connection = tracker.connection();
    tracker.begin();
    connection.wrote(request(0, 1));
    tracker.begin();
    connection.wrote(request(0, 2));
    connection.read(answer(1, [[0, OK, 5]]));
    expect(tracker.outcome(0)).toBe('unknown');
  });

  it('tells connections apart that count their requests alike', () => {
    const tracker = createProduceTracker();
    const [lost, second] = [tracker.connection(), tracker.connection()];
    tracker.begin();
    lost.wrote(request(0, 1));
    second.read(answer(1, [[0, OK, 5]]));
    expect(tracker.outcome(0)).toBe('unknown');
  });

  it('reads the shorter answers of older brokers, and none it does not know', () => {
    for (const [version, tail, outcome] of [
      [3, 8, { acknowledged: 9 }],
      [8, 16, 'unknown'],
    ] as const) {
      const tracker = createProduceTracker();
      const connection = tracker.connection();
      connection.wrote(request(0, 1, version));
      connection.read(answer(1, [[4, OK, 9]], tail));
      expect(tracker.outcome(4)).toEqual(outcome);
    }
  });

  it('counts Produce only', () => {
    const tracker = createProduceTracker();
    tracker.connection().wrote(request(3, 1));
    expect(tracker.written).toBe(0);
  });
});
