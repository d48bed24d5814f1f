import { batchHeads, decodeFetchResponse, encodeFetchRequest, fetchVersion } from './fetch-request.ts';
import { decodeRecordBatch } from './kafkajs-protocol.ts';
import { encodeRecordBatch } from './record-batch.ts';

const batchOf = (ids: string[], baseOffset: number, timestamp = 1_000): Buffer => {
  const batch = encodeRecordBatch(
    ids.map((id) => ({ key: id, value: Buffer.from(`[${id}]`), headers: { ce_id: id, ce_type: 't' } })),
    { identity: { id: 1n, epoch: 0 }, baseSequence: 0, timestamp },
  );
  batch.writeBigInt64BE(BigInt(baseOffset), 0);
  return batch;
};

describe('a Fetch request', () => {
  const client = '0002' + Buffer.from('me').toString('hex');
  const topic = '00000001' + '0003' + Buffer.from('ops').toString('hex');
  const bounds = 'ffffffff' + '000001f4' + '00000001' + '000003e8' + '01';
  it.each([
    [
      4,
      [
        '0000003a', // length: 58
        '0001' + '0004' + '00000007', // Fetch, version 4, correlation id
        client + bounds + topic,
        '00000001' + '00000003' + '0000010000000000' + '000003e8',
      ],
    ],
    [
      9,
      [
        '00000052', // length: 82
        '0001' + '0009' + '00000007',
        client + bounds + '00000000' + 'ffffffff' + topic,
        // with the epoch of the leader
        '00000001' + '00000003' + '00000005' + '0000010000000000' + 'ffffffffffffffff' + '000003e8',
        '00000000',
      ],
    ],
  ])('has the layout of version %d', (version, parts) => {
    const frame = encodeFetchRequest({
      version,
      leaderEpoch: 5,
      correlationId: 7,
      clientId: 'me',
      topic: 'ops',
      partition: 3,
      offset: 2 ** 40,
      maxBytes: 1_000,
      longestWaitMs: 500,
    });
    expect(frame.toString('hex')).toBe(parts.join(''));
  });
});

describe('a Fetch answer', () => {
  const answer = (batches: Buffer, errorCode = 0): Buffer => {
    const head = Buffer.alloc(4 + 4 + 2 + 3 + 4 + 4 + 2 + 8 + 8 + 4 + 4);
    let at = head.writeInt32BE(1, 4);
    at = head.writeInt16BE(3, at);
    at += head.write('ops', at);
    at = head.writeInt32BE(1, at);
    at = head.writeInt32BE(3, at);
    at = head.writeInt16BE(errorCode, at);
    at = head.writeBigInt64BE(12n, at);
    at = head.writeBigInt64BE(12n, at);
    at = head.writeInt32BE(-1, at);
    head.writeInt32BE(batches.length, at);
    return Buffer.concat([head, batches]);
  };

  it('gives whole batches, and leaves out what is cut off', async () => {
    const batches = Buffer.concat([batchOf(['a', 'b'], 10), batchOf(['c'], 12, 2_000), batchOf(['d'], 13)]);
    const { errorCode, batches: got } = decodeFetchResponse(answer(batches.subarray(0, -1)), 4);
    expect(errorCode).toBe(0);
    const heads = [...batchHeads(got)];
    expect(heads.map(({ nextOffset, baseTimestamp }) => [nextOffset, baseTimestamp])).toEqual([
      [12, 1_000],
      [13, 2_000],
    ]);
    expect(heads.every(({ codec, isControl }) => codec === 0 && !isControl)).toBe(true);
    expect(await decodeRecordBatch(heads[0]!.bytes)).toEqual([
      { offset: 10, value: Buffer.from('[a]'), headers: { ce_id: 'a', ce_type: 't' } },
      { offset: 11, value: Buffer.from('[b]'), headers: { ce_id: 'b', ce_type: 't' } },
    ]);
  });

  it('of version 9 names the transactions that were aborted, or an error of the whole request', () => {
    const int16 = (value: number) => value.toString(16).padStart(4, '0');
    const int32 = (value: number) => value.toString(16).padStart(8, '0');
    const int64 = (value: number) => value.toString(16).padStart(16, '0');
    const batches = batchOf(['a'], 10);
    const partition = [
      int32(1) + int16(3) + Buffer.from('ops').toString('hex'),
      int32(1) + int32(3) + int16(6),
      int64(12) + int64(12) + int64(1),
      int32(2) + int64(7) + int64(4) + int64(8) + int64(2 ** 33),
      int32(batches.length) + batches.toString('hex'),
    ];
    const answerOf = (errorCode: number, rest: string[]) =>
      Buffer.from(int32(25) + int16(errorCode) + int32(0) + rest.join(''), 'hex');
    expect(decodeFetchResponse(answerOf(0, partition), 9)).toEqual({
      errorCode: 6,
      throttleMs: 25,
      batches,
      aborted: [
        { producerId: 7n, firstOffset: 4 },
        { producerId: 8n, firstOffset: 2 ** 33 },
      ],
    });
    expect(decodeFetchResponse(answerOf(70, []), 9)).toEqual({
      errorCode: 70,
      throttleMs: 25,
      batches: Buffer.alloc(0),
      aborted: [],
    });
  });

  it.each([
    ['nothing', 0x00, { codec: 0, isReadable: true, isTransactional: false, isControl: false }],
    ['zstd', 0x04, { codec: 4, isReadable: true, isTransactional: false, isControl: false }],
    ['a codec to come', 0x05, { codec: 5, isReadable: false, isTransactional: false, isControl: false }],
    ['a transaction', 0x10, { codec: 0, isReadable: true, isTransactional: true, isControl: false }],
    ['a mark of a transaction', 0x30, { codec: 0, isReadable: true, isTransactional: true, isControl: true }],
  ])('has batches whose attributes say: %s', (_what, attributes, expected) => {
    const batch = batchOf(['a'], 10);
    batch.writeInt16BE(attributes, 21);
    expect([...batchHeads(batch)]).toEqual([expect.objectContaining(expected)]);
  });

  it('may have a batch without records, which compaction leaves behind', () => {
    const empty = Buffer.from(batchOf(['a'], 10).subarray(0, 61));
    empty.writeInt32BE(49, 8);
    empty.writeInt32BE(0, 57);
    expect([...batchHeads(empty)]).toMatchObject([{ records: 0, nextOffset: 11 }]);
  });

  it('is asked for in the newest version that both sides know', () => {
    expect([4, 8, 9].map(fetchVersion)).toEqual([4, 4, 9]);
  });

  it('may be empty, or an error', () => {
    expect(decodeFetchResponse(answer(Buffer.alloc(0)), 4)).toEqual({
      errorCode: 0,
      throttleMs: 0,
      batches: Buffer.alloc(0),
      aborted: [],
    });
    expect(decodeFetchResponse(answer(Buffer.alloc(0), 29), 4).errorCode).toBe(29);
  });

  it.each([
    [4, '00000019' + '00000000'],
    [9, '00000019' + '0000' + '00000000' + '00000000'],
  ])('of version %d has no partition while a quota is exceeded', (version, answer) => {
    expect(decodeFetchResponse(Buffer.from(answer, 'hex'), version)).toEqual({
      errorCode: 0,
      throttleMs: 25,
      isWithheld: true,
      batches: Buffer.alloc(0),
      aborted: [],
    });
  });
});
