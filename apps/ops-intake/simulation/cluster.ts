import {
  createFakeBrokers,
  createFakePartition,
  encodeRecordBatch,
  type FakeBrokers,
  type FakePartition,
  frameCollector,
  type StoredBatch,
} from '@workspace/kafka-producer/testing';
import type { Clock } from './clock.ts';
import { Machine } from './machine.ts';
import type { Draw } from './random.ts';
import type { ServerEnd } from './socket.ts';

/** How long the controller waits for a broker before it takes its partitions away: `broker.session.timeout.ms`. */
const SESSION_MS = 9_000;
const MIN_IN_SYNC = 2;
const PRODUCE = 0;
const FETCH = 1;
const REQUEST_TIMED_OUT = 7;
const NOT_LEADER_OR_FOLLOWER = 6;
const NOT_ENOUGH_REPLICAS = 19;
const TOPIC_AUTHORIZATION_FAILED = 29;
const NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20;

type Answer = Awaited<ReturnType<FakePartition['append']>>;

interface Waiting {
  readonly node: number;
  readonly epoch: number;
  readonly end: number;
  readonly baseOffset: number;
  readonly answer: (answer: Answer) => void;
}

/** Who leads a partition since when, and which brokers have all of it. */
interface Leadership {
  leader: number;
  epoch: number;
  inSync: Set<number>;
}

const NO_METADATA: Leadership = { leader: 0, epoch: -1, inSync: new Set() };

class Partition {
  /** by node, which count from 1 */
  readonly replicas: FakePartition[] = [];
  /** as the controller has it */
  current: Leadership;
  /** as each node has heard */
  readonly metadataAt: Leadership[] = [];
  /** nodes that have not heard yet that there is this partition */
  readonly unknownTo: Set<number>;
  waiting: Waiting[] = [];

  constructor(nodes: readonly Machine[], leader: number, isAnnounced: boolean) {
    const all = nodes.map((_, at) => at + 1);
    this.unknownTo = new Set(isAnnounced ? [] : all);
    this.current = { leader, epoch: 0, inSync: new Set(all) };
    for (const node of all) {
      this.replicas[node] = createFakePartition(() => nodes[node - 1]!.wallClock);
      this.replicas[node].highWatermark = 0;
      this.metadataAt[node] = isAnnounced ? this.current : NO_METADATA;
    }
  }
}

export interface Cluster {
  readonly nodes: readonly Machine[];
  readonly brokers: FakeBrokers;
  /** A connection to a node. */
  accept(node: number, end: ServerEnd): void;
  /** A broker hangs: SIGSTOP. */
  freeze(node: number): void;
  /** kill -9 */
  kill(node: number): void;
  /** A broker that hung goes on; one that was killed starts again with its log. */
  start(node: number): void;
  /** The leadership of a partition passes to another replica, as when an operator balances the cluster. */
  moveLeader(partition: number): void;
  /** Unclean leader election: a replica leads that lacks the last batches, which are lost. */
  truncate(partition: number, batches: number): void;
  /** Retention deletes the records of a partition before an offset, as far as consumers see them. */
  deleteBefore(partition: number, offset: number): void;
  /** Another producer writes a record. @param aheadMs how far in the future its timestamp is */
  writeForeign(partition: number, aheadMs: number): void;
  /** An operator adds a partition; the brokers hear of it one after the other. */
  addPartition(): void;
  /** An operator deletes the topic, and with it its records, and makes it anew with another number of partitions. */
  recreateTopic(partitions: number): void;
  /** Writing is forbidden from now on, or permitted again. */
  forbid(isForbidden: boolean): void;
  /** Brokers take batches up to this size: `max.message.bytes`. */
  limitBatches(bytes: number): void;
  /** What the leaders have, by partition. */
  logs(): readonly FakePartition[];
  /** Whether retention has deleted records, of any replica. */
  readonly isCut: boolean;
  /** What the operator let be lost. */
  readonly truncated: readonly StoredBatch[];
}

/**
 * Brokers with replicas, leaders, epochs and sessions. The protocol and the rules of idempotent producers are those of the
 * fake brokers of libs/kafka-producer.
 */
export const createCluster = (clock: Clock, draw: Draw, size: number): Cluster => {
  const nodes = Array.from(
    { length: size },
    (_, at) => new Machine(`broker-${at + 1}`, clock, draw.of(`broker-${at + 1}`)),
  );
  const brokers = createFakeBrokers(() => nodes.map((_, at) => ({ host: `broker-${at + 1}`, port: 9092 })));
  brokers.time = () => nodes[brokers.controllerId - 1]!.wallClock;
  let partitions: Partition[] = [];
  let foreign = 0;
  const truncated: StoredBatch[] = [];
  /** A replica that deleted less may lead later, but what was read from the first one was cut. */
  let isCut = false;
  let isForbidden = false;
  /** of timestamps, as the topic sets them */
  const limits = { beforeMaxMs: Infinity, afterMaxMs: Infinity };

  const isUp = (node: number): boolean => nodes[node - 1]!.state === 'running';

  /** Tells the nodes that run; the others hear of it some time after they run again. */
  const announce = (partition: Partition): void => {
    for (let node = 1; node <= size; node += 1)
      clock.schedule(draw.between(1, 40), () => hear(partition, node));
  };

  const hear = (partition: Partition, node: number): void => {
    if (nodes[node - 1]!.state !== 'running' || !partitions.includes(partition)) return;
    partition.unknownTo.delete(node);
    partition.metadataAt[node] = partition.current;
    const gone = partition.waiting.filter(
      (one) => one.node === node && one.epoch !== partition.current.epoch,
    );
    partition.waiting = partition.waiting.filter((one) => !gone.includes(one));
    for (const one of gone) one.answer({ errorCode: NOT_LEADER_OR_FOLLOWER, baseOffset: -1 });
    replicate(partition);
  };

  const lead = (partition: Partition, leader: number, inSync: Set<number>): void => {
    const { current } = partition;
    const epoch = leader === current.leader ? current.epoch : current.epoch + 1;
    partition.current = { leader, epoch, inSync };
    announce(partition);
  };

  /** Every follower that runs fetches from the leader some time from now. */
  const replicate = (partition: Partition): void => {
    for (let node = 1; node <= size; node += 1) {
      if (node === partition.current.leader) continue;
      clock.schedule(draw.chance(0.02) ? draw.between(10, 300) : draw.between(0.2, 3), () =>
        nodes[node - 1]!.deliver(undefined, () => fetch(partition, node)),
      );
    }
  };

  const fetch = (partition: Partition, node: number): void => {
    const { leader, inSync } = partition.current;
    if (leader === node || !isUp(leader) || !isUp(node)) return;
    // A leader that does not know its own leadership yet serves no request, and nodes that do not know it ask another one.
    if (
      partition.metadataAt[leader] !== partition.current ||
      partition.metadataAt[node] !== partition.current
    )
      return;
    partition.replicas[node]!.follow(partition.replicas[leader]!);
    partition.replicas[node]!.highWatermark = partition.replicas[leader]!.highWatermark;
    if (!inSync.has(node)) lead(partition, leader, new Set([...inSync, node]));
    commit(partition);
  };

  /** Moves the high watermark to what all in-sync replicas have, and answers who waits for that. */
  const commit = (partition: Partition): void => {
    const { leader, inSync, epoch } = partition.current;
    const ends = [...inSync].map((node) => partition.replicas[node]!.log.length);
    const committed = Math.min(...ends);
    partition.replicas[leader]!.highWatermark = committed;
    const done = partition.waiting.filter(
      (one) => one.node === leader && one.epoch === epoch && one.end <= committed,
    );
    partition.waiting = partition.waiting.filter((one) => !done.includes(one));
    for (const { answer, baseOffset } of done) {
      const isEnough = inSync.size >= MIN_IN_SYNC;
      answer(
        isEnough
          ? { errorCode: 0, baseOffset }
          : { errorCode: NOT_ENOUGH_REPLICAS_AFTER_APPEND, baseOffset: -1 },
      );
    }
  };

  const append = (
    node: number,
    partition: Partition,
    batch: Buffer,
    timeoutMs: number,
  ): Answer | Promise<Answer> => {
    const { inSync, epoch } = partition.metadataAt[node]!;
    if (isForbidden) return { errorCode: TOPIC_AUTHORIZATION_FAILED, baseOffset: -1 };
    if (inSync.size < MIN_IN_SYNC) return { errorCode: NOT_ENOUGH_REPLICAS, baseOffset: -1 };
    const replica = partition.replicas[node]!;
    const appended = replica.append(batch);
    if (appended.errorCode !== 0) return appended;
    return new Promise((answer) => {
      const end = appended.baseOffset + batch.readInt32BE(57);
      const waiting: Waiting = { node, epoch, end, baseOffset: appended.baseOffset, answer };
      partition.waiting.push(waiting);
      nodes[node - 1]!.after(timeoutMs, () => {
        if (!partition.waiting.includes(waiting)) return;
        partition.waiting = partition.waiting.filter((one) => one !== waiting);
        answer({ errorCode: REQUEST_TIMED_OUT, baseOffset: -1 });
      });
      replicate(partition);
    });
  };

  const newPartition = (leader: number, isAnnounced: boolean): Partition => {
    const partition = new Partition(nodes, leader, isAnnounced);
    for (const { timestamps } of partition.replicas.filter(Boolean)) Object.assign(timestamps, limits);
    return partition;
  };

  const createTopic = brokers.createTopic;
  brokers.createTopic = (count, settings = {}) => {
    const topic = createTopic(count, settings);
    const limit = (name: string): number => Number(settings[name] ?? Infinity);
    limits.beforeMaxMs = limit('message.timestamp.before.max.ms');
    limits.afterMaxMs = limit('message.timestamp.after.max.ms');
    partitions = topic.leaders.map((leader) => newPartition(leader, true));
    topic.settings['min.insync.replicas'] = String(MIN_IN_SYNC);
    topic.at = (node, partition) => {
      const seen = partitions[partition];
      return seen?.metadataAt[node]!.leader === node ? seen.replicas[node] : undefined;
    };
    topic.append = (node, partition, batch, timeoutMs) =>
      append(node, partitions[partition]!, batch, timeoutMs);
    topic.epochAt = (node, partition) => partitions[partition]?.metadataAt[node]!.epoch ?? -1;
    topic.leadersAt = (node) => {
      const unknown = partitions.findIndex(({ unknownTo }) => unknownTo.has(node));
      return partitions
        .slice(0, unknown < 0 ? undefined : unknown)
        .map(({ metadataAt }) => metadataAt[node]!.leader);
    };
    return topic;
  };

  /** A broker was silent for a session: others lead, and none waits for it. */
  const expire = (node: number): void => {
    if (isUp(node)) return;
    for (const partition of partitions) {
      const { leader, inSync } = partition.current;
      if (!inSync.has(node) || inSync.size === 1) continue;
      const rest = new Set([...inSync].filter((one) => one !== node));
      const candidates = [...rest].filter(isUp);
      if (leader !== node) lead(partition, leader, rest);
      else if (candidates.length > 0) lead(partition, draw.one(candidates), rest);
      else continue;
      commit(partition);
    }
  };

  const connections = nodes.map(() => new Set<ServerEnd>());
  nodes.forEach((machine, at) => {
    machine.onResumed.add(() => {
      stops[at]! += 1;
      for (const partition of partitions)
        clock.schedule(draw.between(20, 3_000), () => hear(partition, at + 1));
    });
  });
  const stops = nodes.map(() => 0);
  const expireLater = (node: number): void => {
    const stop = stops[node - 1];
    clock.schedule(SESSION_MS, () => {
      if (stops[node - 1] === stop) expire(node);
    });
  };

  return {
    nodes,
    brokers,
    accept: (node, end) => {
      const machine = nodes[node - 1]!;
      const ends = connections[node - 1]!;
      ends.add(end);
      let isReset = false;
      let tail: Promise<void> | undefined;
      let isWithheld = false;
      /** The client asks again for what a quota has withheld, and gets it. */
      const throttleOf = (api: number, throttleMs: number): number => {
        if (api === FETCH) isWithheld = !isWithheld;
        return api === PRODUCE || (api === FETCH && isWithheld) ? throttleMs : 0;
      };
      // A broker carries out the requests of a connection one after the other.
      const handle = async (frame: Buffer): Promise<void> => {
        await tail;
        if (isReset || machine.state !== 'running') return;
        const throttleMs = throttleOf(frame.readInt16BE(0), end.client.throttleMs);
        const answer = await brokers.answer(node, frame, throttleMs);
        if (answer instanceof Buffer) machine.deliver(end, () => end.send(answer));
        // KIP-219: the answer says for how long nothing more is read of this connection.
        if (throttleMs > 0) await new Promise<void>((resolve) => machine.after(throttleMs, resolve));
      };
      const collect = frameCollector((frame) => {
        tail = handle(frame);
      });
      end.onData = collect;
      end.onEnd = (reset) => {
        isReset ||= reset;
        ends.delete(end);
      };
    },
    moveLeader: (index) => {
      const partition = partitions[index];
      if (!partition) return;
      const { leader, inSync } = partition.current;
      const others = [...inSync].filter((node) => node !== leader && isUp(node));
      if (others.length > 0) lead(partition, draw.one(others), inSync);
    },
    truncate: (index, count) => {
      const partition = partitions[index];
      if (!partition) return;
      const { leader, inSync } = partition.current;
      const next = [...inSync].find((node) => node !== leader && isUp(node));
      if (next === undefined) return;
      truncated.push(...partition.replicas[next]!.truncate(count));
      partition.replicas[next]!.highWatermark = partition.replicas[next]!.log.length;
      lead(partition, next, new Set([next]));
    },
    deleteBefore: (index, offset) => {
      for (const replica of partitions[index]?.replicas.filter(Boolean) ?? [])
        replica.start = Math.max(replica.start, Math.min(offset, replica.highWatermark));
      isCut ||= partitions[index]?.replicas.some(({ start }) => start > 0) ?? false;
    },
    addPartition: () => {
      if (partitions.length === 0) return;
      const partition = newPartition(1 + draw.index(size), false);
      partitions.push(partition);
      announce(partition);
    },
    recreateTopic: (count) => {
      for (const { replicas, current } of partitions) truncated.push(...replicas[current.leader]!.batches);
      for (const { waiting } of partitions)
        for (const { answer } of waiting.splice(0))
          answer({ errorCode: NOT_LEADER_OR_FOLLOWER, baseOffset: -1 });
      const live = nodes.flatMap((_, at) => (isUp(at + 1) ? [at + 1] : []));
      if (partitions.length === 0 || live.length === 0) return;
      partitions = Array.from({ length: count }, () => newPartition(draw.one(live), false));
      for (const partition of partitions) announce(partition);
    },
    forbid: (forbidden) => {
      isForbidden = forbidden;
    },
    limitBatches: (bytes) => {
      for (const { replicas } of partitions)
        for (const replica of replicas.filter(Boolean)) replica.maxBytes = bytes;
    },
    writeForeign: (index, aheadMs) => {
      const partition = partitions[index];
      if (!partition || !isUp(partition.current.leader)) return;
      const { leader } = partition.current;
      const record = { key: `foreign-${(foreign += 1)}`, value: Buffer.from('[]'), headers: {} };
      const batch = encodeRecordBatch([record], {
        identity: { id: BigInt(1_000_000 + foreign), epoch: 0 },
        baseSequence: 0,
        timestamp: nodes[leader - 1]!.wallClock + Math.floor(aheadMs),
      });
      if (partition.metadataAt[leader]!.leader === leader) void append(leader, partition, batch, 1_000);
    },
    freeze: (node) => {
      nodes[node - 1]!.pause();
      expireLater(node);
    },
    kill: (node) => {
      nodes[node - 1]!.kill();
      for (const end of connections[node - 1]!) end.close();
      connections[node - 1]!.clear();
      // It leads nothing when it starts again, until it hears of it.
      for (const { metadataAt } of partitions) metadataAt[node] = NO_METADATA;
      expireLater(node);
    },
    start: (node) => {
      nodes[node - 1]!.resume();
      nodes[node - 1]!.restart();
    },
    truncated,
    get isCut() {
      return isCut;
    },
    logs: () => partitions.map(({ replicas, current }) => replicas[current.leader]!),
  };
};
