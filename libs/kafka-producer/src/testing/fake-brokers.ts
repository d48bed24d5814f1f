import type { ApiName, ApiVersions } from '../wire/api-versions.ts';
import { APIS } from '../wire/api-versions.ts';
import type { PartitionResponse } from '../wire/produce-request.ts';
import { createFakePartition, type FakePartition } from './fake-partition.ts';

const API_VERSIONS = 18;
const OFFSET_OUT_OF_RANGE = 1;
const UNKNOWN_TOPIC_OR_PARTITION = 3;
const NOT_LEADER_OR_FOLLOWER = 6;
const TOPIC_ALREADY_EXISTS = 36;
const FENCED_LEADER_EPOCH = 74;
const UNKNOWN_LEADER_EPOCH = 75;
const SASL_AUTHENTICATION_FAILED = 58;

/** The versions whose layout is written below. */
const WRITTEN: ApiVersions = {
  [APIS.Produce.key]: { minVersion: 3, maxVersion: 7 },
  [APIS.Fetch.key]: { minVersion: 4, maxVersion: 9 },
  [APIS.ListOffsets.key]: { minVersion: 1, maxVersion: 4 },
  [APIS.Metadata.key]: { minVersion: 0, maxVersion: 7 },
  [APIS.SaslHandshake.key]: { minVersion: 0, maxVersion: 1 },
  [APIS.CreateTopics.key]: { minVersion: 0, maxVersion: 2 },
  [APIS.InitProducerId.key]: { minVersion: 0, maxVersion: 0 },
  [APIS.DescribeConfigs.key]: { minVersion: 0, maxVersion: 0 },
  [APIS.SaslAuthenticate.key]: { minVersion: 0, maxVersion: 1 },
  [APIS.DescribeQuorum.key]: { minVersion: 0, maxVersion: 1 },
};

const int8 = (value: number): Buffer => Buffer.from([value & 0xff]);
const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const int64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
const text = (value: string | undefined): Buffer =>
  value === undefined ? int16(-1) : Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
const bytesOf = (value: Buffer): Buffer => Buffer.concat([int32(value.length), value]);
const list = (items: readonly Buffer[]): Buffer => Buffer.concat([int32(items.length), ...items]);

/** Reads a request, field by field. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  #next(size: number): number {
    this.#at += size;
    return this.#at - size;
  }
  int8 = (): number => this.#bytes.readInt8(this.#next(1));
  int16 = (): number => this.#bytes.readInt16BE(this.#next(2));
  int32 = (): number => this.#bytes.readInt32BE(this.#next(4));
  int64 = (): number => Number(this.#bytes.readBigInt64BE(this.#next(8)));
  text = (): string | undefined => {
    const length = this.int16();
    return length < 0 ? undefined : this.#bytes.toString('utf8', this.#next(length), this.#at);
  };
  bytes = (): Buffer => {
    const length = this.int32();
    return this.#bytes.subarray(this.#next(length), this.#at);
  };
  list = <Item>(read: () => Item): Item[] => Array.from({ length: this.int32() }, read);
}

export interface FakeTopic {
  name: string;
  /** node that leads each partition, -1 for none */
  leaders: number[];
  replicas: number[];
  /** those of one partition */
  replicasOf(partition: number): number[];
  inSync: number[];
  settings: Record<string, string>;
  partitions: FakePartition[];
  /** The partition as seen by a node that takes itself for its leader; undefined at others. */
  at(node: number, partition: number): FakePartition | undefined;
  /** Appends to that; a promise when the answer has to wait for other replicas. */
  append(
    node: number,
    partition: number,
    batch: Buffer,
    timeoutMs: number,
  ): PartitionResponse | Promise<PartitionResponse>;
  /** the leader of each partition, as a node knows it */
  leadersAt(node: number): readonly number[];
  /** the epoch of that leader */
  epochAt(node: number, partition: number): number;
}

export interface FakeRequest {
  readonly node: number;
  readonly api: string;
  readonly version: number;
}

/** What all brokers of a fake cluster have in common, without their connections. */
export interface FakeBrokers {
  topic: FakeTopic | undefined;
  /** every request except ApiVersions, in order of arrival */
  readonly requests: FakeRequest[];
  /** the versions that brokers report */
  versions: ApiVersions;
  /** error codes that the next requests of an API get instead of an answer; the first is used up first */
  readonly errors: Partial<Record<ApiName, number[]>>;
  /** milliseconds of a quota, which the next answers to Fetch give instead of records; the first is used up first */
  readonly withheld: number[];
  /** requests of these APIs get no answer */
  readonly silent: Set<ApiName>;
  /** nodes that answer nothing */
  readonly silentNodes: Set<number>;
  /** requests of these APIs end their connection, before they are carried out */
  readonly cut: Set<ApiName>;
  /** the SASL PLAIN password that brokers ask for */
  password: string | undefined;
  /** milliseconds until a login expires; 0: never */
  sessionLifetimeMs: number;
  readonly controllerId: number;
  /** milliseconds since 1970, as the brokers' clocks have it */
  time: () => number;
  createTopic(partitions: number, settings?: Record<string, string>): FakeTopic;
  /**
   * What a node answers to a frame without its length.
   * @param throttleMs for which a quota keeps the client from sending more, as the answers to Produce and Fetch say; that to
   *   Fetch then has nothing else
   * @returns the whole frame of the answer; undefined for none; `cut` to end the connection
   */
  answer(
    node: number,
    frame: Buffer,
    throttleMs?: number,
  ): Promise<Buffer | 'cut' | undefined> | Buffer | 'cut' | undefined;
}

export interface FakeBroker {
  host: string;
  port: number;
}

/** @param addresses of the brokers by node, which count from 1; may change */
export const createFakeBrokers = (addresses: () => readonly FakeBroker[]): FakeBrokers => {
  let producerIds = 0;

  const nameOf = (key: number): ApiName =>
    (Object.keys(APIS) as ApiName[]).find((name) => APIS[name].key === key)!;

  /** A leader answers only who knows of its epoch; -1 for who does not say. */
  const epochError = (node: number, partition: number, epoch: number): number => {
    const own = cluster.topic?.epochAt(node, partition) ?? 0;
    if (epoch < 0 || epoch === own) return 0;
    return epoch < own ? FENCED_LEADER_EPOCH : UNKNOWN_LEADER_EPOCH;
  };

  const errorOf = (api: ApiName): number | undefined => cluster.errors[api]?.shift();

  const handlers: Record<
    ApiName,
    (request: Reader, node: number, version: number, throttleMs: number) => Buffer | Promise<Buffer>
  > = {
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
      request.int32();
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
            errorOf('ListOffsets') ?? (seen ? epochError(node, partition, epoch) : NOT_LEADER_OR_FOLLOWER),
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
        const error = errorOf('Fetch') ?? (refused || (isThere ? 0 : OFFSET_OUT_OF_RANGE));
        const records = error ? Buffer.alloc(0) : seen!.read(offset, maxBytes);
        return Buffer.concat([
          int32(partition),
          int16(error),
          int64(0),
          int64(0),
          ...(version >= 5 ? [int64(0)] : []),
          int32(-1),
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

  const cluster: FakeBrokers = {
    topic: undefined,
    requests: [],
    versions: WRITTEN,
    errors: {},
    withheld: [],
    silent: new Set(),
    silentNodes: new Set(),
    cut: new Set(),
    password: undefined,
    sessionLifetimeMs: 0,
    time: Date.now,
    get controllerId() {
      return addresses().length;
    },
    createTopic: (partitions, settings = {}) => {
      const nodes = addresses().map((_, at) => at + 1);
      const topic: FakeTopic = {
        name: 't',
        leaders: Array.from({ length: partitions }, (_, partition) => (partition % nodes.length) + 1),
        replicas: nodes,
        replicasOf: () => topic.replicas,
        inSync: nodes,
        settings,
        partitions: Array.from({ length: partitions }, () => createFakePartition()),
        at: (node, partition) =>
          topic.leaders[partition] === node ? topic.partitions[partition] : undefined,
        append: (_node, partition, batch) => topic.partitions[partition]!.append(batch),
        leadersAt: () => topic.leaders,
        epochAt: () => 0,
      };
      return (cluster.topic = topic);
    },
    answer: (node, frame, throttleMs = 0) => {
      const key = frame.readInt16BE(0);
      const version = frame.readInt16BE(2);
      const id = frame.subarray(4, 8);
      const framed = (bytes: Buffer): Buffer => Buffer.concat([int32(4 + bytes.length), id, bytes]);
      if (key === API_VERSIONS) {
        const spoken = Object.entries(cluster.versions).map(([api, { minVersion, maxVersion }]) =>
          Buffer.concat([int16(Number(api)), int16(minVersion), int16(maxVersion)]),
        );
        return framed(Buffer.concat([int16(0), list(spoken)]));
      }
      const api = nameOf(key);
      cluster.requests.push({ node, api, version });
      if (cluster.cut.has(api)) return 'cut';
      if (cluster.silent.has(api) || cluster.silentNodes.has(node)) return undefined;
      const body = new Reader(frame.subarray(8));
      body.text();
      const answered = handlers[api](body, node, version, throttleMs);
      return answered instanceof Promise ? answered.then(framed) : framed(answered);
    },
  };
  return cluster;
};
