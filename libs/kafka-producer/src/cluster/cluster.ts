import {
  type BrokerAddress,
  type BrokerConnection,
  openBrokerConnection,
} from '../wire/broker-connection.ts';
import type { KafkaSettings } from '../settings.ts';
import { checkBrokers } from '../wire/leader-epoch.ts';
import { type Runtime, systemRuntime } from '../wire/runtime.ts';
import type { QuorumTime } from '../wire/describe-quorum.ts';
import { errorOfCode, type KafkaJSProtocolError } from '../wire/kafkajs-protocol.ts';
import type { ProducerIdentity } from '../wire/record-batch.ts';
import { keptConnections } from './kept-connections.ts';
import {
  describe,
  isBehind,
  type MajorityMetadata,
  type MetadataAnswer,
  newest,
  NO_LEADER,
  type TopicMetadata,
} from './topic-metadata.ts';

export interface NewTopic {
  /** -1 takes the broker's default */
  partitions: number;
  /** -1 takes the broker's default */
  replicationFactor: number;
  settings?: Readonly<Record<string, string>>;
  /** left out where the broker does not know one of them */
  newerSettings?: Readonly<Record<string, string>>;
}

/** The brokers of one cluster, as far as one topic is concerned. Every method throws why it failed. */
export interface Cluster {
  /**
   * The topic as any broker sees it, or as a majority does where that one contradicts what was known before.
   */
  topicMetadata(): Promise<TopicMetadata>;
  /**
   * The topic as a majority of the replicas of each partition see it, or all brokers that answer: a broker that was deposed, or
   * cut off, may not know its successor.
   */
  majorityMetadata(): Promise<MajorityMetadata>;
  /** The same, and of what was known before whatever is newer, while most replicas cannot be asked. */
  newestMetadata(): Promise<TopicMetadata>;
  /** @returns false when another client created it first */
  createTopic(topic: NewTopic): Promise<boolean>;
  /** Settings of the topic by name, without those that the broker does not know. */
  topicSettings(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The same of a broker of the metadata, or of any. */
  brokerSettings(nodeId: number | undefined, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Milliseconds since 1970 by the clock of the quorum's leader; undefined when it does not say. */
  time(): Promise<number | undefined>;
  newProducerIdentity(): Promise<ProducerIdentity>;
  /** The connection to a broker of the metadata; opened when there is none. */
  connectionTo(nodeId: number): Promise<BrokerConnection>;
  /** Ends all connections, also those that are being opened. */
  close(): void;
}

const LEADER_NOT_AVAILABLE = 5;
const COORDINATOR_LOAD_IN_PROGRESS = 14;
const TOPIC_ALREADY_EXISTS = 36;
const INVALID_CONFIG = 40;
/** Resource types in DescribeConfigs. */
const TOPIC_RESOURCE = 2;
const BROKER_RESOURCE = 4;
/** Milliseconds; an idempotent producer without transactions has none, but the request has the field. */
const TRANSACTION_TIMEOUT_MS = 30_000;

const addressOf = (server: string): BrokerAddress => {
  const at = server.lastIndexOf(':');
  return { host: server.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(server.slice(at + 1)) };
};

const distinct = (addresses: readonly BrokerAddress[]): BrokerAddress[] => [
  ...new Map(addresses.map(({ host, port }) => [`${host}:${port}`, { host, port }])).values(),
];

export const openCluster = (settings: KafkaSettings, runtime: Runtime = systemRuntime): Cluster => {
  const { topic } = settings;
  const closing = new AbortController();
  const bootstrap = settings.brokers.map(addressOf);
  let known: ReadonlyMap<number, BrokerAddress> = new Map();
  let controllerId = -1;
  let next = 0;
  /** that was asked last */
  let control: BrokerConnection | undefined;
  /** the topic as it was seen last */
  let believed: TopicMetadata | undefined;

  const open = (address: BrokerAddress): Promise<BrokerConnection> =>
    openBrokerConnection(address, settings, closing.signal, runtime);

  const openTo = async (nodeId: number): Promise<BrokerConnection> => {
    if (nodeId === NO_LEADER) throw errorOfCode(LEADER_NOT_AVAILABLE);
    const address = known.get(nodeId);
    if (!address) throw new Error(`broker ${nodeId} is not known`);
    return open(address);
  };

  const connectionTo = keptConnections(openTo);

  const addresses = (): BrokerAddress[] => distinct([...bootstrap, ...known.values()]);

  /** The connection for everything but Produce requests, to any broker that answers. It is kept as number 0. */
  const connectionToAny = keptConnections(async () => open(addresses()[next++ % addresses().length]!));

  /** Asks one broker after the other, each once, until one answers; the broker's own error is an answer. */
  const ask = async <Answer>(
    exchange: (connection: BrokerConnection) => Promise<Answer>,
    mostAttempts = Infinity,
  ): Promise<Answer> => {
    // One more than there are addresses: the connection at hand may be one that has ended unnoticed.
    const attempts = Math.min(addresses().length + 1, mostAttempts);
    let failure: unknown;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      let connection: BrokerConnection | undefined;
      try {
        connection = control = await connectionToAny(0);
        return await exchange(connection);
      } catch (error) {
        if (connection && !connection.ended) throw error;
        failure = error;
      }
      if (closing.signal.aborted) break;
    }
    throw failure;
  };

  const askMetadata = async (connection: BrokerConnection): Promise<MetadataAnswer> => {
    const options = { topics: [topic], allowAutoTopicCreation: false };
    try {
      const answer = (await connection.request('Metadata', options)) as MetadataAnswer;
      checkBrokers(answer.brokers.length);
      return answer;
    } catch (error) {
      // What cannot be read is no answer of a broker: another one is asked.
      connection.close(error as Error);
      throw error;
    }
  };

  const brokersIn = ({ brokers }: MetadataAnswer): ReadonlyMap<number, BrokerAddress> =>
    new Map(brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));

  const readBrokers = async (): Promise<MetadataAnswer> => {
    const answer = await ask(askMetadata);
    known = brokersIn(answer);
    controllerId = answer.controllerId;
    return answer;
  };

  const readMetadata = async (): Promise<TopicMetadata> => {
    const described = describe(await readBrokers(), known.size);
    if (believed && isBehind(described, believed)) {
      // It may be cut off from the others, so another one is asked next. Or the topic is another one: then most brokers say so.
      control?.retire();
      return readNewest();
    }
    return (believed = described);
  };

  /** @param isAgain with the brokers that were learnt of since the first time */
  const readMajority = async (isAgain = false): Promise<MajorityMetadata> => {
    if (known.size === 0) await readBrokers();
    const all = [...known.keys()];
    const seen: TopicMetadata[] = [];
    const answered = new Set<number>();
    /** Of every partition: a record is acknowledged by replicas that know who leads, and most of them have to. */
    const isMajority = (): boolean =>
      seen.reduce(newest).replicas.every((replicas) => {
        const count = replicas.filter((nodeId) => answered.has(nodeId)).length;
        return 2 * count > replicas.length;
      });
    const asked = all.map(async (nodeId) => {
      const answer = await askMetadata(await connectionTo(nodeId));
      // Brokers are added, and get other addresses. One that has been cut off may not know of them, so none is dropped.
      known = new Map([...known, ...brokersIn(answer)]);
      seen.push(describe(answer, known.size));
      answered.add(nodeId);
      // The others may hang.
      if (!isMajority()) throw new Error('no majority yet');
    });
    const lacksMajority = await Promise.any(asked).then(
      () => false,
      () => true,
    );
    if (lacksMajority && !isAgain) {
      // All of them may have been replaced.
      if (seen.length === 0) await readBrokers();
      if (seen.length === 0 || known.size > all.length) return readMajority(true);
    }
    if (seen.length === 0) await asked[0];
    const newestSeen = seen.reduce(newest);
    return lacksMajority ? { ...newestSeen, lacksMajority } : (believed = newestSeen);
  };

  const readNewest = async (): Promise<TopicMetadata> => {
    const seen = await readMajority();
    return seen.lacksMajority && believed ? newest(seen, believed) : seen;
  };

  /** On a connection of its own: its failure, or a quota, must not end or delay what others send. */
  const askOnce = async <Answer>(
    nodeId: number,
    exchange: (connection: BrokerConnection) => Promise<Answer>,
  ): Promise<Answer> => {
    const connection = await openTo(nodeId);
    try {
      return await exchange(connection);
    } finally {
      connection.close(new Error('done'));
    }
  };

  /** The controller makes topics; since KRaft any broker passes that on. */
  const toController = <Answer>(
    exchange: (connection: BrokerConnection) => Promise<Answer>,
  ): Promise<Answer> => (known.has(controllerId) ? askOnce(controllerId, exchange) : ask(exchange));

  const createTopic = async (wanted: NewTopic): Promise<boolean> => {
    const { partitions: numPartitions, replicationFactor, newerSettings, ...rest } = wanted;
    const configEntries = Object.entries({ ...rest.settings, ...newerSettings }).map(([name, value]) => ({
      name,
      value,
    }));
    const request = {
      topics: [{ topic, numPartitions, replicationFactor, configEntries }],
      timeout: settings.requestTimeoutMs,
    };
    try {
      await toController((connection) => connection.request('CreateTopics', request));
      return true;
    } catch (error) {
      const { errors = [] } = error as { errors?: KafkaJSProtocolError[] };
      if (errors.some(({ code }) => code === TOPIC_ALREADY_EXISTS)) return false;
      const isTooOld = errors.some(({ code }) => code === INVALID_CONFIG) && newerSettings !== undefined;
      if (isTooOld) return createTopic({ partitions: numPartitions, replicationFactor, ...rest });
      throw error;
    }
  };

  const describeSettings = async (
    connection: BrokerConnection,
    type: number,
    name: string,
    configNames: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    const answer = (await connection.request('DescribeConfigs', {
      resources: [{ type, name, configNames }],
    })) as { resources: { configEntries: { configName: string; configValue?: string | null }[] }[] };
    const entries = answer.resources[0]?.configEntries ?? [];
    return new Map(
      entries.flatMap(({ configName, configValue }) => (configValue ? [[configName, configValue]] : [])),
    );
  };

  return {
    topicMetadata: readMetadata,
    majorityMetadata: () => readMajority(),
    newestMetadata: readNewest,
    createTopic,
    topicSettings: (names) => ask((connection) => describeSettings(connection, TOPIC_RESOURCE, topic, names)),
    brokerSettings: async (nodeId = known.keys().next().value ?? NO_LEADER, names) =>
      askOnce(nodeId, (connection) => describeSettings(connection, BROKER_RESOURCE, String(nodeId), names)),
    // A single broker is asked: each forwards the request to the controllers, and waits while there are none.
    time: () =>
      ask(async (connection) => {
        const { time } = (await connection.request('DescribeQuorum', {})) as QuorumTime;
        return time;
      }, 1),
    newProducerIdentity: async () => {
      const options = { transactionalId: null, transactionTimeout: TRANSACTION_TIMEOUT_MS };
      const answer = (await ask((connection) =>
        connection.request('InitProducerId', options).catch((error: KafkaJSProtocolError) => {
          // It has none left, and waits for the controller. Another broker may have some.
          if (error.code === COORDINATOR_LOAD_IN_PROGRESS) connection.close(error);
          throw error;
        }),
      )) as { producerId: string; producerEpoch: number };
      return { id: BigInt(answer.producerId), epoch: answer.producerEpoch };
    },
    connectionTo,
    close: () => closing.abort(),
  };
};
