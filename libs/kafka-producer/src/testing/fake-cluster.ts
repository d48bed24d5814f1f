import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { KafkaSettings } from '../settings.ts';
import { APIS, type ApiName, type ApiVersions } from '../wire/api-versions.ts';
import { frameCollector } from '../wire/response-frames.ts';
import { createFakePartition, type FakePartition } from './fake-partition.ts';

const API_VERSIONS = 18;
const UNKNOWN_TOPIC_OR_PARTITION = 3;
const NOT_LEADER_OR_FOLLOWER = 6;
const TOPIC_ALREADY_EXISTS = 36;
const SASL_AUTHENTICATION_FAILED = 58;

/** The versions whose layout is written below. */
const WRITTEN: ApiVersions = {
  [APIS.Produce.key]: { minVersion: 3, maxVersion: 7 },
  [APIS.Fetch.key]: { minVersion: 4, maxVersion: 4 },
  [APIS.ListOffsets.key]: { minVersion: 1, maxVersion: 2 },
  [APIS.Metadata.key]: { minVersion: 0, maxVersion: 4 },
  [APIS.SaslHandshake.key]: { minVersion: 0, maxVersion: 1 },
  [APIS.CreateTopics.key]: { minVersion: 0, maxVersion: 2 },
  [APIS.InitProducerId.key]: { minVersion: 0, maxVersion: 0 },
  [APIS.DescribeConfigs.key]: { minVersion: 0, maxVersion: 0 },
  [APIS.SaslAuthenticate.key]: { minVersion: 0, maxVersion: 1 },
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
  inSync: number[];
  settings: Record<string, string>;
  partitions: FakePartition[];
}

export interface FakeRequest {
  readonly node: number;
  readonly api: string;
  readonly version: number;
}

/**
 * Brokers that speak Kafka's protocol on TCP, for tests: one topic, real sequence checks, and mistakes on request. It is
 * held to a real broker by the tests in e2e/.
 */
export interface FakeCluster {
  topic: FakeTopic | undefined;
  /** ports of the brokers, by node; nodes count from 1 */
  readonly ports: readonly number[];
  readonly settings: KafkaSettings;
  /** every request except ApiVersions, in order of arrival */
  readonly requests: FakeRequest[];
  /** what brokers say that they speak */
  versions: ApiVersions;
  /** error codes that the next requests of an API get instead of an answer; the first is used up first */
  readonly errors: Partial<Record<ApiName, number[]>>;
  /** requests of these APIs get no answer */
  readonly silent: Set<ApiName>;
  /** requests of these APIs end their connection, before they are carried out */
  readonly cut: Set<ApiName>;
  /** the SASL PLAIN password that brokers ask for */
  password: string | undefined;
  readonly controllerId: number;
  createTopic(partitions: number): FakeTopic;
  /** connections that are open at a node */
  connections(node: number): number;
  /** ends the connections of a node and stops listening */
  stop(node: number): Promise<void>;
  start(node: number): Promise<void>;
  close(): Promise<void>;
}

export const startFakeCluster = async (nodes = 1): Promise<FakeCluster> => {
  const servers: Server[] = [];
  const sockets: Set<Socket>[] = [];
  const ports: number[] = [];
  let producerIds = 0;

  const nameOf = (key: number): ApiName =>
    (Object.keys(APIS) as ApiName[]).find((name) => APIS[name].key === key)!;

  const errorOf = (api: ApiName): number | undefined => cluster.errors[api]?.shift();

  const handlers: Record<ApiName, (request: Reader, node: number, version: number) => Buffer> = {
    Metadata: (request) => {
      const [name] = request.list(request.text);
      const { topic } = cluster;
      const missing = topic?.name === name ? 0 : UNKNOWN_TOPIC_OR_PARTITION;
      const partitions = missing ? [] : topic!.leaders;
      return Buffer.concat([
        int32(0),
        list(
          ports.map((port, at) =>
            Buffer.concat([int32(at + 1), text('127.0.0.1'), int32(port), text(undefined)]),
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
                  list(topic!.replicas.map(int32)),
                  list(topic!.inSync.map(int32)),
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
      const [created] = request.list(() => ({ name: request.text()!, partitions: request.int32() }));
      const error = errorOf('CreateTopics') ?? (cluster.topic ? TOPIC_ALREADY_EXISTS : 0);
      if (!error) cluster.createTopic(Math.max(created!.partitions, 1));
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
    Produce: (request, node, version) => {
      request.text();
      request.int16();
      request.int32();
      const [topic] = request.list(() => ({
        name: request.text()!,
        batches: request.list(() => ({ partition: request.int32(), batch: request.bytes() })),
      }));
      const answers = topic!.batches.map(({ partition, batch }) => {
        const isLeader = cluster.topic?.leaders[partition] === node;
        const error = errorOf('Produce') ?? (isLeader ? undefined : NOT_LEADER_OR_FOLLOWER);
        const { errorCode, baseOffset } =
          error === undefined
            ? cluster.topic!.partitions[partition]!.append(batch)
            : { errorCode: error, baseOffset: -1 };
        const rest = version >= 5 ? [int64(-1), int64(0)] : [int64(-1)];
        return Buffer.concat([int32(partition), int16(errorCode), int64(baseOffset), ...rest]);
      });
      return Buffer.concat([list([Buffer.concat([text(topic!.name), list(answers)])]), int32(0)]);
    },
    ListOffsets: (request, _node, version) => {
      request.int32();
      if (version >= 2) request.int8();
      const [topic] = request.list(() => ({
        name: request.text()!,
        partitions: request.list(() => ({ partition: request.int32(), time: request.int64() })),
      }));
      const answers = topic!.partitions.map(({ partition, time }) => {
        const offset = cluster.topic!.partitions[partition]!.offsetAt(time);
        return Buffer.concat([
          int32(partition),
          int16(errorOf('ListOffsets') ?? 0),
          int64(-1),
          int64(offset),
        ]);
      });
      const throttle = version >= 2 ? [int32(0)] : [];
      return Buffer.concat([...throttle, list([Buffer.concat([text(topic!.name), list(answers)])])]);
    },
    Fetch: (request) => {
      request.int32();
      request.int32();
      request.int32();
      request.int32();
      request.int8();
      const [topic] = request.list(() => ({
        name: request.text()!,
        partitions: request.list(() => ({
          partition: request.int32(),
          offset: request.int64(),
          maxBytes: request.int32(),
        })),
      }));
      const answers = topic!.partitions.map(({ partition, offset, maxBytes }) => {
        const records = cluster.topic!.partitions[partition]!.read(offset, maxBytes);
        const error = errorOf('Fetch') ?? 0;
        return Buffer.concat([
          int32(partition),
          int16(error),
          int64(0),
          int64(0),
          int32(-1),
          bytesOf(records),
        ]);
      });
      return Buffer.concat([int32(0), list([Buffer.concat([text(topic!.name), list(answers)])])]);
    },
    SaslHandshake: () => Buffer.concat([int16(0), list([text('PLAIN')])]),
    SaslAuthenticate: (request, _node, version) => {
      const isRight = request.bytes().toString().split('\0')[2] === cluster.password;
      const error = isRight ? 0 : SASL_AUTHENTICATION_FAILED;
      const lifetime = version >= 1 ? [int64(0)] : [];
      return Buffer.concat([
        int16(error),
        text(isRight ? undefined : 'wrong password'),
        bytesOf(Buffer.alloc(0)),
        ...lifetime,
      ]);
    },
  };

  const onFrame = (frame: Buffer, socket: Socket, node: number): void => {
    const key = frame.readInt16BE(0);
    const version = frame.readInt16BE(2);
    const id = frame.subarray(4, 8);
    const body = new Reader(frame.subarray(8));
    body.text();
    const answer = (bytes: Buffer): void => {
      socket.write(Buffer.concat([int32(4 + bytes.length), id, bytes]));
    };
    if (key === API_VERSIONS) {
      const spoken = Object.entries(cluster.versions).map(([api, { minVersion, maxVersion }]) =>
        Buffer.concat([int16(Number(api)), int16(minVersion), int16(maxVersion)]),
      );
      answer(Buffer.concat([int16(0), list(spoken)]));
      return;
    }
    const api = nameOf(key);
    cluster.requests.push({ node, api, version });
    if (cluster.cut.has(api)) socket.destroy();
    else if (!cluster.silent.has(api)) answer(handlers[api](body, node, version));
  };

  const start = async (node: number): Promise<void> => {
    const open = (sockets[node - 1] = new Set());
    const server = createServer((socket) => {
      open.add(socket);
      const collect = frameCollector((frame) => onFrame(frame, socket, node));
      socket
        .on('data', collect)
        .on('error', () => undefined)
        .on('close', () => open.delete(socket));
    }).listen(ports[node - 1] ?? 0, '127.0.0.1');
    await once(server, 'listening');
    servers[node - 1] = server;
    ports[node - 1] = (server.address() as AddressInfo).port;
  };

  const stop = async (node: number): Promise<void> => {
    const server = servers[node - 1]!;
    for (const socket of sockets[node - 1]!) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };

  const cluster: FakeCluster = {
    topic: undefined,
    ports,
    get settings() {
      return {
        brokers: [`127.0.0.1:${ports[0]}`],
        clientId: 'test',
        topic: 't',
        connectionTimeoutMs: 5_000,
        requestTimeoutMs: 5_000,
        deliveryTimeoutMs: 30_000,
      };
    },
    requests: [],
    versions: WRITTEN,
    errors: {},
    silent: new Set(),
    cut: new Set(),
    password: undefined,
    controllerId: nodes,
    createTopic: (partitions) =>
      (cluster.topic = {
        name: 't',
        leaders: Array.from({ length: partitions }, (_, partition) => (partition % nodes) + 1),
        replicas: ports.map((_, at) => at + 1),
        inSync: ports.map((_, at) => at + 1),
        settings: {},
        partitions: Array.from({ length: partitions }, createFakePartition),
      }),
    connections: (node) => sockets[node - 1]!.size,
    stop,
    start,
    close: async () => {
      for (let node = 1; node <= nodes; node += 1) await stop(node);
    },
  };
  for (let node = 1; node <= nodes; node += 1) await start(node);
  return cluster;
};
