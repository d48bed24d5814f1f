import { batchHeads } from './fetch-response.ts';
import { decodeRecordBatch, protocolRequest } from './kafkajs-protocol.ts';
import { encodeRecordBatch } from './record-batch.ts';

const batchOf = (ids: string[], baseOffset: number, timestamp = 1_000): Buffer => {
  const batch = encodeRecordBatch(
    ids.map((id) => ({ key: id, value: Buffer.from(`[${id}]`), headers: { ce_id: id, ce_type: 't' } })),
    { identity: { id: 1n, epoch: 0 }, baseSequence: 0, timestamp },
  );
  batch.writeBigInt64BE(BigInt(baseOffset), 0);
  return batch;
};

const int = (value: number, bytes: number): string => value.toString(16).padStart(2 * bytes, '0');
const i32 = (value: number): string => int(value, 4);
const i64 = (value: number): string => int(value, 8);

describe('a Fetch answer', () => {
  const read = (version: number, answer: string[]): Promise<unknown> => {
    const { response } = protocolRequest('Fetch', version, { topics: [] });
    return response.decode(Buffer.from(answer.join(''), 'hex'));
  };
  /** What precedes the topics, and the start of a partition's log, as a version has them. */
  const sessionIn = (version: number, errorCode = 0): string =>
    version >= 7 ? int(errorCode, 2) + i32(0) : '';
  const startIn = (version: number): string => (version >= 5 ? i64(1) : '');

  it.each([4, 5, 7, 10, 11])(
    'of version %d has batches and the transactions that were aborted',
    async (version) => {
      const batches = batchOf(['a'], 10);
      const answer = [
        i32(25) + sessionIn(version) + i32(1) + int(3, 2) + Buffer.from('ops').toString('hex'),
        i32(1) + i32(3) + int(6, 2) + i64(12) + i64(12) + startIn(version),
        i32(2) + i64(7) + i64(4) + i64(8) + i64(2 ** 33) + (version >= 11 ? i32(9) : ''),
        i32(batches.length) + batches.toString('hex'),
      ];
      const aborted = [
        { producerId: 7n, firstOffset: 4 },
        { producerId: 8n, firstOffset: 2 ** 33 },
      ];
      expect(await read(version, answer)).toEqual({
        errorCode: 6,
        throttleTime: 25,
        fetched: { batches, aborted },
      });
      await expect(read(version, answer.slice(0, 2))).rejects.toThrow('out of range');
    },
  );

  it.each([4, 11])('of version %d has no partition while a quota is exceeded', async (version) => {
    const answer = [i32(25) + sessionIn(version) + i32(0)];
    expect(await read(version, answer)).toEqual({ errorCode: 0, throttleTime: 25 });
  });

  it('may be an error of the whole request', async () => {
    const answer = await read(11, [i32(0) + sessionIn(11, 70) + i32(0)]);
    expect(answer).toEqual({ errorCode: 70, throttleTime: 0 });
    const { parse } = protocolRequest('Fetch', 11, { topics: [] }).response;
    await expect(parse(answer)).rejects.toMatchObject({ type: 'FETCH_SESSION_ID_NOT_FOUND' });
  });

  it('gives whole batches, and leaves out what is cut off', async () => {
    const batches = Buffer.concat([batchOf(['a', 'b'], 10), batchOf(['c'], 12, 2_000), batchOf(['d'], 13)]);
    const heads = [...batchHeads(batches.subarray(0, -1))];
    expect(heads.map(({ nextOffset, baseTimestamp }) => [nextOffset, baseTimestamp])).toEqual([
      [12, 1_000],
      [13, 2_000],
    ]);
    expect(await decodeRecordBatch(heads[0]!.bytes)).toEqual([
      { offset: 10, value: Buffer.from('[a]'), headers: { ce_id: 'a', ce_type: 't' } },
      { offset: 11, value: Buffer.from('[b]'), headers: { ce_id: 'b', ce_type: 't' } },
    ]);
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
});
