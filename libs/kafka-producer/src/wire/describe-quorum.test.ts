import { encodeProtocolRequest, protocolRequest } from './kafkajs-protocol.ts';

const NAME = Buffer.from('__cluster_metadata').toString('hex');
const voter = (node: string, upToDateAt: string, tags = '00'): string =>
  `${node}0000000000000007000000000000000a${upToDateAt}${tags}`;
/** An answer of two voters, of which node 2 leads. */
const answer = ({
  tags = '00',
  error = '0000',
  topics = '02',
  partitions = '02',
  partitionError = '0000',
  voters = [voter('00000001', '0000000000000bb8'), voter('00000002', '0000000000000fa0')],
} = {}): Buffer =>
  Buffer.from(
    `${tags}${error}${topics}13${NAME}${partitions}00000000${partitionError}0000000200000005000000000000000a` +
      `0${voters.length + 1}${voters.join('')}01000000`,
    'hex',
  );

const timeIn = async (options?: Parameters<typeof answer>[0]): Promise<unknown> => {
  const { response } = protocolRequest('DescribeQuorum', 1, {});
  return ((await response.parse(await response.decode(answer(options)))) as { time: unknown }).time;
};

describe('DescribeQuorum', () => {
  it('asks for the one partition of the metadata', async () => {
    const request = `003700010000000900036162630002` + `13${NAME}02000000000000` + '00';
    const frame = await encodeProtocolRequest(protocolRequest('DescribeQuorum', 1, {}), 9, 'abc');
    expect(frame.subarray(4).toString('hex')).toBe(request);
    expect(frame.readInt32BE(0)).toBe(request.length / 2);
  });

  it('reads the clock of the leader', async () => {
    expect(await timeIn()).toBe(4_000);
    expect(await timeIn({ voters: [voter('00000002', '0000000000000fa0')] })).toBe(4_000);
  });

  it('passes over optional fields, also long ones', async () => {
    // Two fields: number 1 of three bytes, number 2 of 200.
    const tags = `020103aabbcc02c801${'00'.repeat(200)}`;
    const voters = [voter('00000001', '0000000000000bb8', tags), voter('00000002', '0000000000000fa0')];
    expect(await timeIn({ tags, voters })).toBe(4_000);
  });

  it.each([
    { topics: '01' },
    { partitions: '01' },
    { voters: [] },
    { voters: [voter('00000001', '0000000000000bb8')] },
    { voters: [voter('00000002', 'ffffffffffffffff')] },
  ])(
    'says nothing where the leader is not among the voters, or its time is not known: %j',
    async (options) => {
      expect(await timeIn(options)).toBeUndefined();
    },
  );

  it('throws the broker’s errors', async () => {
    await expect(timeIn({ error: '001f' })).rejects.toMatchObject({ type: 'CLUSTER_AUTHORIZATION_FAILED' });
    await expect(timeIn({ partitionError: '0003' })).rejects.toMatchObject({
      type: 'UNKNOWN_TOPIC_OR_PARTITION',
    });
  });
});
