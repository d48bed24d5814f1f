import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { javaCommand } from './java-command.ts';
import { type ConsumedRecord, consumeTopic } from './consume.ts';
import type { Credentials } from './listeners.ts';
import type { KafkaNode } from './node.ts';
import type { Listener } from './properties.ts';
import { type TopicOptions, createTopic, deleteTopic } from './topics.ts';

export interface BrokerOptions {
  /** Port of the plain listener on 127.0.0.1; a free one when absent. */
  port?: number;
  /** Kafka settings that win over ours, e.g. `{ 'max.message.bytes': '1000' }`. */
  overrides?: Record<string, string>;
  /** Compiles hot code with C2, too, as in production: for benchmarks. Starts slower. */
  optimized?: boolean;
  /**
   * Adds listener VIA, which advertises this port, on which a fault proxy listens. Several add VIA_1, VIA_2, ….
   */
  viaAdvertisedPort?: number | readonly number[];
  /** Adds listener SASL (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512) for this user. */
  sasl?: Credentials;
  /** Adds listener TLS with a fresh self-signed certificate, and SASL_TLS when `sasl` is given too. */
  tls?: boolean;
}

/** A running Apache Kafka broker, on its own or in a cluster. */
export interface Broker {
  /** Address of the plain listener, `127.0.0.1:<port>`. */
  readonly bootstrapServers: string;
  readonly port: number;
  /** Ports of all listeners by name: PLAINTEXT, VIA or VIA_1 and so on, SASL, TLS, SASL_TLS. */
  readonly ports: Readonly<Record<string, number>>;
  /** What a client of the TLS listeners has to trust (PEM); only with `tls`. */
  readonly certificate: string | undefined;
  /** Process id of the JVM; undefined while it does not run. */
  readonly pid: number | undefined;
  /** Where data, settings and the broker's log are. */
  readonly folder: string;
  /** kill -9; resolves when the process is gone. The data stays for `restart`. */
  kill(): Promise<void>;
  /** SIGTERM, the orderly end; resolves when the process is gone. The data stays for `restart`. */
  terminate(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing is answered. Returns when all threads stand still. */
  freeze(): void;
  /** SIGCONT after `freeze`. */
  thaw(): void;
  /** Starts again on the same data and ports (after an orderly end, if it still runs); resolves when it answers. */
  restart(): Promise<void>;
  createTopic(name: string, options?: TopicOptions): Promise<void>;
  deleteTopic(name: string): Promise<void>;
  /** Runs one of Kafka's own tools, such as `kafka.admin.ConfigCommand`, on this broker. @throws what it printed */
  runTool(mainClass: string, args: readonly string[]): Promise<void>;
  /** All records of a topic from offset 0, read by Kafka's own console consumer. */
  consume(topic: string): Promise<ConsumedRecord[]>;
  /** The same, record by record, for topics that do not fit into memory. */
  consumeEach(topic: string, onRecord: (record: ConsumedRecord) => void): Promise<void>;
}

/** What a broker handle is made of. */
export interface BrokerParts {
  node: KafkaNode;
  listeners: Listener[];
  certificate: string | undefined;
  folder: string;
  jars: string;
  clusterSize: number;
}

export const brokerOf = ({
  node,
  listeners,
  certificate,
  folder,
  jars,
  clusterSize,
}: BrokerParts): Broker => {
  const ports = Object.fromEntries(listeners.map(({ name, port }) => [name, port]));
  const port = ports['PLAINTEXT']!;
  const bootstrapServers = `127.0.0.1:${port}`;

  const restart = async (): Promise<void> => {
    await node.terminate();
    await node.start();
    await node.answers(port, clusterSize);
  };

  const consume = async (topic: string): Promise<ConsumedRecord[]> => {
    const records: ConsumedRecord[] = [];
    await consumeTopic({ jars, bootstrapServers, topic, onRecord: (record) => records.push(record) });
    return records;
  };

  return {
    bootstrapServers,
    port,
    ports,
    certificate,
    folder,
    get pid() {
      return node.pid;
    },
    kill: () => node.kill(),
    terminate: () => node.terminate(),
    freeze: () => node.freeze(),
    thaw: () => node.thaw(),
    restart,
    runTool: async (mainClass, args) => {
      const [java = '', ...rest] = javaCommand(jars, mainClass, [
        '--bootstrap-server',
        bootstrapServers,
        ...args,
      ]);
      await promisify(execFile)(java, rest);
    },
    createTopic: (name, options) => createTopic(bootstrapServers, name, options),
    deleteTopic: (name) => deleteTopic(bootstrapServers, name),
    consume,
    consumeEach: (topic, onRecord) => consumeTopic({ jars, bootstrapServers, topic, onRecord }),
  };
};
