import type { ApiName, ApiVersions } from '../wire/api-versions.ts';
import { APIS } from '../wire/api-versions.ts';
import type { BrokerAddress } from '../wire/broker-connection.ts';
import type { FakeBrokers } from './broker-state.ts';
import { bytesOf, int16, int32, int64, int8, list, Reader, text } from './protocol-fields.ts';

const OFFSET_OUT_OF_RANGE = 1;
const UNKNOWN_TOPIC_OR_PARTITION = 3;
const NOT_LEADER_OR_FOLLOWER = 6;
const TOPIC_ALREADY_EXISTS = 36;
const FENCED_LEADER_EPOCH = 74;
const UNKNOWN_LEADER_EPOCH = 75;
const SASL_AUTHENTICATION_FAILED = 58;
const UNSUPPORTED_COMPRESSION_TYPE = 76;

/** Who asks as this replica is answered by followers, too, which may lack the last records. */
const DEBUGGING_REPLICA = -2;

/** The versions whose layout is written below. */
export const WRITTEN: ApiVersions = {
  [APIS.Produce.key]: { minVersion: 3, maxVersion: 7 },
  [APIS.Fetch.key]: { minVersion: 4, maxVersion: 11 },
  [APIS.ListOffsets.key]: { minVersion: 1, maxVersion: 4 },
  [APIS.Metadata.key]: { minVersion: 0, maxVersion: 7 },
  [APIS.SaslHandshake.key]: { minVersion: 0, maxVersion: 1 },
  [APIS.CreateTopics.key]: { minVersion: 0, maxVersion: 2 },
  [APIS.InitProducerId.key]: { minVersion: 0, maxVersion: 0 },
  [APIS.DescribeConfigs.key]: { minVersion: 0, maxVersion: 0 },
  [APIS.SaslAuthenticate.key]: { minVersion: 0, maxVersion: 1 },
  [APIS.DescribeQuorum.key]: { minVersion: 0, maxVersion: 1 },
};

/** Answers a request of one API. */
type Answer = (
  request: Reader,
  node: number,
  version: number,
  throttleMs: number,
) => Buffer | Promise<Buffer>;

/** What the brokers of a cluster answer to each API, as their state has it. */
export const fakeAnswers = (
  cluster: FakeBrokers,
  addresses: () => readonly BrokerAddress[],
): Record<ApiName, Answer> => {
  let producerIds = 0;

  /** A leader answers only who knows of its epoch; -1 for who does not say. */
  const epochError = (node: number, partition: number, epoch: number): number => {
    const own = cluster.topic?.epochAt(node, partition) ?? 0;
    if (epoch < 0 || epoch === own) return 0;
    return epoch < own ? FENCED_LEADER_EPOCH : UNKNOWN_LEADER_EPOCH;
  };

  const errorOf = (api: ApiName): number | undefined => cluster.errors[api]?.shift();

  return {
    Metadata: (request, node, version) => {
      const [name] = request.list(request.text);
      const { topic } = cluster;
      const missing = topic?.name === name ? 0 : UNKNOWN_TOPIC_OR_PARTITION;
      const isToBeMade = version >= 4 && request.int8() !== 0;
      // As a broker does it: the next request finds it.
      if (missing && isToBeMade) cluster.createTopic(1);
      const partitions = missing ? [] : topic!.leadersAt(node);
      return Buffer.concat([
        int32(0),
        list(
          addresses().map(({ host, port }, at) =>
            Buffer.concat([int32(at + 1), text(host), int32(port), text(undefined)]),
          ),
        ),
        text('fake'),
        int32(cluster.controllerId),
        list([
          Buffer.concat([
            int16(errorOf('Metadata') ?? missing),
            text(name),
            int8(0),
            list(
              partitions.map((leader, partition) =>
                Buffer.concat([
                  int16(0),
                  int32(partition),
                  int32(leader),
                  ...(version >= 7 ? [int32(topic!.epochAt(node, partition))] : []),
                  list(topic!.replicasOf(partition).map(int32)),
                  list(topic!.inSync.map(int32)),
                  ...(version >= 5 ? [list([])] : []),
                ]),
              ),
            ),
          ]),
        ]),
      ]);
    },
    InitProducerId: () => {
      const error = errorOf('InitProducerId') ?? 0;
      return Buffer.concat([int32(0), int16(error), int64(error ? -1 : (producerIds += 1)), int16(0)]);
    },
    CreateTopics: (request) => {
      const [created] = request.list(() => {
        const name = request.text()!;
        const partitions = request.int32();
        request.int16();
        request.list(() => [request.int32(), request.list(request.int32)]);
        const settings = request.list(() => [request.text()!, request.text() ?? '']);
        return { name, partitions, settings: Object.fromEntries(settings) as Record<string, string> };
      });
      const error = errorOf('CreateTopics') ?? (cluster.topic ? TOPIC_ALREADY_EXISTS : 0);
      if (!error) cluster.createTopic(Math.max(created!.partitions, 1), created!.settings);
      return Buffer.concat([
        int32(0),
        list([Buffer.concat([text(created!.name), int16(error), text(undefined)])]),
      ]);
    },
    DescribeConfigs: (request) => {
      const [resource] = request.list(() => ({
        type: request.int8(),
        name: request.text(),
        settings: request.list(request.text) as string[],
      }));
      const error = errorOf('DescribeConfigs') ?? 0;
      const entries = resource!.settings.flatMap((name) => {
        const value = cluster.topic?.settings[name];
        return value === undefined
          ? []
          : [Buffer.concat([text(name), text(value), int8(0), int8(0), int8(0)])];
      });
      return Buffer.concat([
        int32(0),
        list([
          Buffer.concat([
            int16(error),
            text(undefined),
            int8(resource!.type),
            text(resource!.name),
            list(entries),
          ]),
        ]),
      ]);
    },
    Produce: async (request, node, version, throttleMs) => {
      request.text();
      request.int16();
      const timeoutMs = request.int32();
      const [topic] = request.list(() => ({
        name: request.text()!,
        batches: request.list(() => ({ partition: request.int32(), batch: request.bytes() })),
      }));
      const answers = topic!.batches.map(async ({ partition, batch }) => {
        const error = errorOf('Produce') ?? (cluster.topic?.at(node, partition) ? 0 : NOT_LEADER_OR_FOLLOWER);
        const { errorCode, baseOffset } = error
          ? { errorCode: error, baseOffset: -1 }
          : await cluster.topic!.append(node, partition, batch, timeoutMs);
        const rest = version >= 5 ? [int64(-1), int64(0)] : [int64(-1)];
        return Buffer.concat([int32(partition), int16(errorCode), int64(baseOffset), ...rest]);
      });
      const all = await Promise.all(answers);
      return Buffer.concat([list([Buffer.concat([text(topic!.name), list(all)])]), int32(throttleMs)]);
    },
    ListOffsets: (request, node, version) => {
      const isDebugging = request.int32() === DEBUGGING_REPLICA;
      if (version >= 2) request.int8();
      const [topic] = request.list(() => ({
        name: request.text()!,
        partitions: request.list(() => ({
          partition: request.int32(),
          epoch: version >= 4 ? request.int32() : -1,
          time: request.int64(),
        })),
      }));
      const answers = topic!.partitions.map(({ partition, epoch, time }) => {
        const seen = cluster.topic?.at(node, partition);
        const offset = seen?.offsetAt(time) ?? -1;
        return Buffer.concat([
          int32(partition),
          int16(
            errorOf('ListOffsets') ??
              (seen || isDebugging ? epochError(node, partition, epoch) : NOT_LEADER_OR_FOLLOWER),
          ),
          int64(-1),
          int64(offset),
          ...(version >= 4 ? [int32(0)] : []),
        ]);
      });
      const throttle = version >= 2 ? [int32(0)] : [];
      return Buffer.concat([...throttle, list([Buffer.concat([text(topic!.name), list(answers)])])]);
    },
    Fetch: (request, node, version, throttleMs) => {
      request.int32();
      request.int32();
      request.int32();
      request.int32();
      request.int8();
      if (version >= 7) request.int64();
      const [topic] = request.list(() => ({
        name: request.text()!,
        partitions: request.list(() => ({
          partition: request.int32(),
          epoch: version >= 9 ? request.int32() : -1,
          offset: request.int64(),
          start: version >= 5 ? request.int64() : -1,
          maxBytes: request.int32(),
        })),
      }));
      const answers = topic!.partitions.map(({ partition, epoch, offset, maxBytes }) => {
        const seen = cluster.topic?.at(node, partition);
        const refused = seen ? epochError(node, partition, epoch) : NOT_LEADER_OR_FOLLOWER;
        const isThere = seen && offset >= seen.start && offset <= seen.log.length;
        // As before Kafka 4.
        const isUnknown = version < 10 && cluster.topic?.settings['compression.type'] === 'zstd';
        const answered = isUnknown ? UNSUPPORTED_COMPRESSION_TYPE : isThere ? 0 : OFFSET_OUT_OF_RANGE;
        const error = errorOf('Fetch') ?? (refused || answered);
        const records = error ? Buffer.alloc(0) : seen!.read(offset, maxBytes);
        return Buffer.concat([
          int32(partition),
          int16(error),
          int64(0),
          int64(0),
          ...(version >= 5 ? [int64(0)] : []),
          int32(-1),
          ...(version >= 11 ? [int32(-1)] : []),
          bytesOf(records),
        ]);
      });
      const session = version >= 7 ? [int16(0), int32(0)] : [];
      const withheldMs = throttleMs || cluster.withheld.shift();
      if (withheldMs) return Buffer.concat([int32(withheldMs), ...session, list([])]);
      return Buffer.concat([int32(0), ...session, list([Buffer.concat([text(topic!.name), list(answers)])])]);
    },
    DescribeQuorum: () => {
      const leader = cluster.controllerId;
      const voters = addresses().map((_, at) =>
        Buffer.concat([
          int32(at + 1),
          int64(7),
          int64(cluster.time()),
          // Others are up to date as of their last request.
          int64(cluster.time() - (at + 1 === leader ? 0 : 500)),
          int8(0),
        ]),
      );
      const name = Buffer.from('__cluster_metadata');
      return Buffer.concat([
        int8(0),
        int16(errorOf('DescribeQuorum') ?? 0),
        int8(2),
        int8(name.length + 1),
        name,
        int8(2),
        ...[int32(0), int16(0), int32(leader), int32(1), int64(7)],
        ...[int8(voters.length + 1), ...voters],
        ...[int8(1), int8(0), int8(0), int8(0)],
      ]);
    },
    SaslHandshake: () => Buffer.concat([int16(0), list([text('PLAIN')])]),
    SaslAuthenticate: (request, _node, version) => {
      const isRight = request.bytes().toString().split('\0')[2] === cluster.password;
      const error = isRight ? 0 : SASL_AUTHENTICATION_FAILED;
      const lifetime = version >= 1 ? [int64(cluster.sessionLifetimeMs)] : [];
      return Buffer.concat([
        int16(error),
        text(isRight ? undefined : 'wrong password'),
        bytesOf(Buffer.alloc(0)),
        ...lifetime,
      ]);
    },
  };
};
