/** One address a broker listens on. `advertisedPort` is the port for clients when that is another one (a proxy's). */
export interface Listener {
  name: string;
  protocol: 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';
  port: number;
  advertisedPort?: number;
  /** Settings of this listener alone, without the `listener.name.<name>.` in front. */
  settings?: Record<string, string>;
}

/** One Kafka process, broker and controller in one (KRaft's combined mode). */
export interface NodeLayout {
  id: number;
  listeners: Listener[];
  /** Every controller of the cluster, this one included. */
  controllers: { id: number; port: number }[];
  dataFolder: string;
  /** Settings that win over all others, e.g. `{ 'max.message.bytes': '1000' }`. */
  overrides?: Record<string, string>;
}

const address = (name: string, port: number): string => `${name}://127.0.0.1:${port}`;

/** All settings of a node, later ones winning. Sources: Kafka's broker and KRaft configuration reference. */
export const nodeSettings = (layout: NodeLayout): Record<string, string> => {
  const { id, listeners, controllers, dataFolder, overrides } = layout;
  const own = controllers.find((controller) => controller.id === id);
  if (own === undefined) throw new Error(`node ${id} is not among the controllers`);
  const replicas = String(Math.min(3, controllers.length));
  const minInSync = String(Math.max(1, Math.min(3, controllers.length) - 1));
  return {
    'process.roles': 'broker,controller',
    'node.id': String(id),
    'controller.quorum.voters': controllers.map((c) => `${c.id}@127.0.0.1:${c.port}`).join(','),
    listeners: [...listeners.map((l) => address(l.name, l.port)), address('CONTROLLER', own.port)].join(','),
    'advertised.listeners': listeners.map((l) => address(l.name, l.advertisedPort ?? l.port)).join(','),
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': [
      ...listeners.map((l) => `${l.name}:${l.protocol}`),
      'CONTROLLER:PLAINTEXT',
    ].join(','),
    'log.dirs': dataFolder,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': minInSync,
    // As ops-intake makes its topic: brokers reject what arrives after its time.
    'log.message.timestamp.before.max.ms': '35000',
    // The controller lets a killed broker back in only when its old session has ended: 9 s by default, seen as a
    // restart of 12 s; with these two it takes 3 s.
    'broker.session.timeout.ms': '1500',
    'broker.heartbeat.interval.ms': '300',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': minInSync,
    'group.initial.rebalance.delay.ms': '0',
    ...Object.fromEntries(listeners.flatMap(listenerSettings)),
    ...overrides,
  };
};

const listenerSettings = ({ name, settings = {} }: Listener): [string, string][] =>
  Object.entries(settings).map(([key, value]) => [`listener.name.${name.toLowerCase()}.${key}`, value]);

/** Text of a Java properties file. */
export const propertiesText = (settings: Record<string, string>): string => {
  const escape = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${escape(value)}\n`)
    .join('');
};
