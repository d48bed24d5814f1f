import fc from 'fast-check';
// @ts-expect-error no types
import encodeFrame from 'kafkajs/src/protocol/request.js';
// @ts-expect-error no types
import requests from 'kafkajs/src/protocol/requests/produce/index.js';
import { APIS } from './api-versions.ts';
import { encodeRecordBatch } from './record-batch.ts';
import { decodeProduceResponse, encodeProduceRequest } from './produce-request.ts';

interface Protocol {
  protocol(options: { version: number }): (options: object) => { request: object };
}

describe('a Produce request', () => {
  it.each([3, 5, 7])('is in version %d what kafkajs sends, time aside', async (version) => {
    const timestamp = 1_800_000_000_000;
    const now = jest.spyOn(Date, 'now').mockReturnValue(timestamp);
    const records = [
      { key: 'one', value: Buffer.from('[1]'), headers: { ce_id: 'one', type: Buffer.from('json') } },
      { key: 'two', value: Buffer.from('[2]'), headers: {} },
    ];
    const { request } = (requests as Protocol).protocol({ version })({
      acks: -1,
      timeout: 900,
      producerId: '4711',
      producerEpoch: 3,
      topicData: [
        {
          topic: 'operations',
          partitions: [
            { partition: 2, firstSequence: 17, messages: records },
            { partition: 0, firstSequence: 0, messages: records.slice(1) },
          ],
        },
      ],
    });
    const theirs = (await (encodeFrame as (options: object) => Promise<{ buffer: Buffer }>)({
      request,
      correlationId: 99,
      clientId: 'intake',
    })) as { buffer: Buffer };
    now.mockRestore();

    const identity = { id: 4711n, epoch: 3 };
    const ours = encodeProduceRequest({
      version,
      correlationId: 99,
      clientId: 'intake',
      topic: 'operations',
      timeoutMs: 900,
      batches: [
        { partition: 2, batch: encodeRecordBatch(records, { identity, baseSequence: 17, timestamp }) },
        {
          partition: 0,
          batch: encodeRecordBatch(records.slice(1), { identity, baseSequence: 0, timestamp }),
        },
      ],
    });
    expect(ours.toString('hex')).toBe(theirs.buffer.toString('hex'));
  });
});

describe('a Produce answer', () => {
  const answer = fc.record({
    partition: fc.nat(1_000),
    errorCode: fc.integer({ min: -1, max: 100 }),
    baseOffset: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
  });
  const answers = fc.uniqueArray(answer, { selector: ({ partition }) => partition, maxLength: 8 });
  const version = fc.integer({ min: APIS.Produce.oldest, max: APIS.Produce.newest });

  const encode = (
    partitions: readonly { partition: number; errorCode: number; baseOffset: number }[],
    of: number,
  ) => {
    const topic = Buffer.from('operations');
    const head = Buffer.alloc(4 + 2 + topic.length + 4);
    head.writeInt32BE(1, 0);
    head.writeInt16BE(topic.length, 4);
    topic.copy(head, 6);
    head.writeInt32BE(partitions.length, 6 + topic.length);
    const bodies = partitions.map(({ partition, errorCode, baseOffset }) => {
      const body = Buffer.alloc(of >= 5 ? 30 : 22);
      body.writeInt32BE(partition, 0);
      body.writeInt16BE(errorCode, 4);
      body.writeBigInt64BE(BigInt(baseOffset), 6);
      return body;
    });
    const throttle = Buffer.alloc(4);
    throttle.writeInt32BE(12);
    return Buffer.concat([head, ...bodies, throttle]);
  };

  it('reports each partition, in every version', () => {
    fc.assert(
      fc.property(answers, version, (partitions, of) => {
        const decoded = decodeProduceResponse(encode(partitions, of), of);
        expect(decoded.throttleMs).toBe(12);
        expect([...decoded.partitions].map(([partition, rest]) => ({ partition, ...rest }))).toEqual(
          partitions,
        );
      }),
    );
  });

  it('is not read when bytes are missing', () => {
    const whole = encode([{ partition: 1, errorCode: 0, baseOffset: 5 }], 7);
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => decodeProduceResponse(whole.subarray(0, length), 7)).toThrow(/outside|out of range/);
    }
  });
});
