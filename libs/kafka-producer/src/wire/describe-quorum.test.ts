import { encodeDescribeQuorum, readQuorumTime } from './describe-quorum.ts';

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

describe('DescribeQuorum', () => {
  it('asks for the one partition of the metadata', () => {
    const request = `003700010000000900036162630002` + `13${NAME}02000000000000` + '00';
    const frame = encodeDescribeQuorum(9, 'abc');
    expect(frame.subarray(4).toString('hex')).toBe(request);
    expect(frame.readInt32BE(0)).toBe(request.length / 2);
  });

  it('reads the clock of the leader', () => {
    expect(readQuorumTime(answer())).toBe(4_000);
    expect(readQuorumTime(answer({ voters: [voter('00000002', '0000000000000fa0')] }))).toBe(4_000);
  });

  it('passes over optional fields, also long ones', () => {
    // Two fields: number 1 of three bytes, number 2 of 200.
    const tags = `020103aabbcc02c801${'00'.repeat(200)}`;
    const voters = [voter('00000001', '0000000000000bb8', tags), voter('00000002', '0000000000000fa0')];
    expect(readQuorumTime(answer({ tags, voters }))).toBe(4_000);
  });

  it('says nothing where the leader is not among the voters, or its time is not known', () => {
    expect(readQuorumTime(answer({ voters: [] }))).toBeUndefined();
    expect(readQuorumTime(answer({ voters: [voter('00000001', '0000000000000bb8')] }))).toBeUndefined();
    expect(readQuorumTime(answer({ voters: [voter('00000002', 'ffffffffffffffff')] }))).toBeUndefined();
    expect(readQuorumTime(answer({ topics: '01' }))).toBeUndefined();
    expect(readQuorumTime(answer({ partitions: '01' }))).toBeUndefined();
  });

  it('throws the broker’s errors', () => {
    const type = (options: Parameters<typeof answer>[0]) => {
      try {
        return readQuorumTime(answer(options));
      } catch (error) {
        return (error as { type: string }).type;
      }
    };
    expect(type({ error: '001f' })).toBe('CLUSTER_AUTHORIZATION_FAILED');
    expect(type({ partitionError: '0003' })).toBe('UNKNOWN_TOPIC_OR_PARTITION');
  });
});
