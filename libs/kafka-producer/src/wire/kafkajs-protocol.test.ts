import { authenticate, encodeProtocolRequest, errorOfCode, protocolRequest } from './kafkajs-protocol.ts';
import { NO_EPOCH } from './leader-epoch.ts';

const hex = (text: string): string => Buffer.from(text).toString('hex');
/** Big-endian, in so many bytes. */
const int = (value: number, bytes: number): string =>
  BigInt.asUintN(bytes * 8, BigInt(value))
    .toString(16)
    .padStart(bytes * 2, '0');
const i32 = (value: number): string => int(value, 4);
const text = (value: string): string => int(value.length, 2) + hex(value);

describe('a login by OAUTHBEARER', () => {
  const logIn = (challenge: string) => {
    const sasl = { mechanism: 'oauthbearer', oauthBearerProvider: async () => ({ value: 'token' }) } as const;
    const authBytes = Buffer.from(i32(challenge.length) + hex(challenge), 'hex');
    const answers: Record<string, object> = {
      SaslHandshake: { enabledMechanisms: ['OAUTHBEARER'] },
      SaslAuthenticate: { authBytes, sessionLifetimeMs: '5000' },
    };
    const versions = { 17: { minVersion: 0, maxVersion: 1 }, 36: { minVersion: 0, maxVersion: 1 } };
    return authenticate(
      { host: 'h', port: 1, versions },
      sasl,
      async ({ request }) => answers[request.apiName],
    );
  };

  it('fails with the reason of the broker, which comes as a challenge (RFC 7628)', async () => {
    expect(await logIn('')).toBe(5_000);
    await expect(logIn('{"status":"invalid_token"}')).rejects.toThrow(
      'SASL OAUTHBEARER authentication failed: {"status":"invalid_token"}',
    );
  });
});

describe('requests that are newer than kafkajs', () => {
  it('ask for offsets with the epoch of the leader (ListOffsets, version 4)', async () => {
    const partitions = [{ partition: 3, leaderEpoch: 5, timestamp: '-1' }];
    const request = protocolRequest('ListOffsets', 4, {
      replicaId: -1,
      isolationLevel: 1,
      topics: [{ topic: 'ops', partitions }],
    });
    const body = [i32(-1) + '01' + i32(1) + text('ops'), i32(1) + i32(3) + i32(5) + int(-1, 8)].join('');
    const head = `0002${int(4, 2)}${i32(7)}${text('me')}`;
    expect((await encodeProtocolRequest(request, 7, 'me')).toString('hex')).toBe(
      i32((head + body).length / 2) + head + body,
    );
    const answer =
      i32(0) + i32(1) + text('ops') + i32(1) + i32(3) + int(0, 2) + int(9, 8) + int(77, 8) + i32(5);
    expect(await request.response.decode(Buffer.from(answer, 'hex'))).toEqual({
      throttleTime: 0,
      responses: [
        {
          topic: 'ops',
          partitions: [{ partition: 3, errorCode: 0, timestamp: '9', offset: '77', leaderEpoch: 5 }],
        },
      ],
    });
  });

  it('read the epoch of each leader (Metadata, version 7)', async () => {
    const request = protocolRequest('Metadata', 7, { topics: ['ops'], allowAutoTopicCreation: false });
    const frame = (await encodeProtocolRequest(request, 7, 'me')).toString('hex');
    expect(frame.slice(8, 16)).toBe(`0003${int(7, 2)}`);
    const nodes = (...ids: number[]): string => i32(ids.length) + ids.map(i32).join('');
    const answer = [
      i32(25) + i32(1) + i32(2) + text('host') + i32(9092) + int(-1, 2),
      text('cluster') + i32(2) + i32(1) + int(0, 2) + text('ops') + '01',
      i32(1) + int(0, 2) + i32(3) + i32(2) + i32(9) + nodes(2, 3) + nodes(2) + nodes(3),
    ].join('');
    expect(await request.response.decode(Buffer.from(answer, 'hex'))).toEqual({
      throttleTime: 25,
      brokers: [{ nodeId: 2, host: 'host', port: 9092, rack: null }],
      clusterId: 'cluster',
      controllerId: 2,
      topicMetadata: [
        {
          topicErrorCode: 0,
          topic: 'ops',
          isInternal: true,
          partitionMetadata: [
            {
              partitionErrorCode: 0,
              partitionId: 3,
              leader: 2,
              leaderEpoch: 9,
              replicas: [2, 3],
              isr: [2],
              offlineReplicas: [3],
            },
          ],
        },
      ],
    });
    expect(NO_EPOCH).toBe(-1);
  });
});

// https://kafka.apache.org/protocol#protocol_error_codes
it.each([
  [3, 'UNKNOWN_TOPIC_OR_PARTITION'],
  [9_999, 'ERROR_CODE_9999'],
])('error code %d is %s', (code, name) => {
  expect(errorOfCode(code).type).toBe(name);
});
