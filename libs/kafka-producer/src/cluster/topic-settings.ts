import type { Weakness } from '@workspace/schemas';
import type { Cluster } from './cluster.ts';

/** What the users of a topic promise, as far as its settings and its brokers' decide whether they can keep it. */
export interface TopicNeeds {
  /** milliseconds, the longest that a record is sent after it was made */
  readonly recordAgeMs: number;
  /** milliseconds that clocks of producers and brokers may differ */
  readonly clockDifferenceMs: number;
  /** milliseconds that a record is searched for */
  readonly keptMs: number;
}

/** Settings by name; undefined when the user may not read them, or the broker does not tell. */
export interface KnownSettings {
  readonly topic: ReadonlyMap<string, string> | undefined;
  readonly broker: ReadonlyMap<string, string> | undefined;
}

export const BEFORE_MAX = 'message.timestamp.before.max.ms';
const TOPIC_SETTINGS = [
  'cleanup.policy',
  'min.insync.replicas',
  'message.timestamp.type',
  BEFORE_MAX,
  'message.timestamp.after.max.ms',
  'retention.bytes',
  'retention.ms',
  'unclean.leader.election.enable',
];
const BROKER_SETTINGS = ['producer.id.expiration.ms'];
const UNLIMITED = -1;

/** Settings of a topic that is made, so that its brokers reject what arrives when its time is over. */
export const settingsFor = ({ recordAgeMs }: TopicNeeds): Readonly<Record<string, string>> => ({
  [BEFORE_MAX]: String(recordAgeMs),
});

/** @param broker one of the brokers; they should all have the same settings */
export const readSettings = async (
  cluster: Pick<Cluster, 'topicSettings' | 'brokerSettings'>,
  broker: number | undefined,
): Promise<KnownSettings> => {
  // Most users may not; whoever may write need not be allowed to read settings.
  const orUnknown = (reading: Promise<ReadonlyMap<string, string>>) => reading.catch(() => undefined);
  const [topic, ofBroker] = await Promise.all([
    orUnknown(cluster.topicSettings(TOPIC_SETTINGS)),
    broker === undefined ? undefined : orUnknown(cluster.brokerSettings(broker, BROKER_SETTINGS)),
  ]);
  return { topic, broker: ofBroker };
};

/** Milliseconds since 1970 since when the topic has all that was written; undefined when it is not known. */
export const keptSince = ({ topic }: KnownSettings, now: number): number | undefined => {
  const [policy, bytes, time] = ['cleanup.policy', 'retention.bytes', 'retention.ms'].map((name) =>
    topic?.get(name),
  );
  if (policy !== 'delete' || Number(bytes) !== UNLIMITED || time === undefined) return undefined;
  // Kafka deletes a segment by its youngest record.
  return Number(time) === UNLIMITED ? -Infinity : now - Number(time);
};

/** What weakens which promise; nothing is said of what is not known. */
export const weaknesses = ({ topic, broker }: KnownSettings, needs: TopicNeeds): Weakness[] => {
  const { recordAgeMs, clockDifferenceMs, keptMs } = needs;
  const found: Weakness[] = [];
  const check = (
    settings: ReadonlyMap<string, string> | undefined,
    setting: string,
    isWeak: (value: string) => boolean,
    effect: string,
  ): void => {
    const value = settings?.get(setting);
    if (value !== undefined && isWeak(value))
      found.push({ setting, reason: `${setting}=${value}: ${effect}` });
  };
  check(
    topic,
    'cleanup.policy',
    (value) => value.includes('compact'),
    'a later record with the same key removes an acknowledged one, and none can be called absent; set it to delete',
  );
  check(
    topic,
    'retention.ms',
    (value) => Number(value) !== UNLIMITED && Number(value) < keptMs,
    `records are deleted while they may still be searched for; set it to ${keptMs} or more`,
  );
  check(
    topic,
    'message.timestamp.type',
    (value) => value !== 'CreateTime',
    'brokers cannot tell what arrives after its time, which can be a second record of a key; set it to CreateTime',
  );
  if (topic && !topic.has(BEFORE_MAX)) {
    const reason = `${BEFORE_MAX} is not known to brokers before Kafka 3.6: they take what arrives after its time, which can be a second record of a key`;
    found.push({ setting: BEFORE_MAX, reason });
  }
  check(
    topic,
    BEFORE_MAX,
    (value) => Number(value) > recordAgeMs,
    `brokers take what arrives after its time, which can be a second record of a key; set it to ${recordAgeMs}`,
  );
  check(
    topic,
    'message.timestamp.after.max.ms',
    (value) => Number(value) < clockDifferenceMs,
    `records of an instance whose clock is ahead are rejected; set it to ${clockDifferenceMs} or more`,
  );
  check(
    topic,
    'unclean.leader.election.enable',
    (value) => value === 'true',
    'a replica that lacks acknowledged records can become the leader, and they are lost; set it to false',
  );
  check(
    broker,
    'producer.id.expiration.ms',
    (value) => Number(value) < recordAgeMs,
    `a broker forgets a batch while it may be sent again, and appends it twice; set it to ${recordAgeMs} or more`,
  );
  return found;
};
