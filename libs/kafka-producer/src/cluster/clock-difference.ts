import type { Cluster } from './cluster.ts';
import type { TopicNeeds } from './topic-settings.ts';

/** How the clock of this machine differs from that of the cluster. */
export interface ClockDifference {
  /** milliseconds by which it is ahead; negative when it is behind */
  readonly aheadMs: number;
  /** milliseconds by which that may be wrong: half of the time that the answer took */
  readonly uncertaintyMs: number;
}

/** Undefined where the cluster does not tell its time: with ZooKeeper, before Kafka 3.3, or to who may not describe the cluster. */
export const measureClock = async (
  cluster: Pick<Cluster, 'time'>,
  now: () => Date,
): Promise<ClockDifference | undefined> => {
  const began = now().getTime();
  const time = await cluster.time().catch(() => undefined);
  if (time === undefined) return undefined;
  const ended = now().getTime();
  return {
    aheadMs: Math.round((began + ended) / 2 - time),
    uncertaintyMs: Math.ceil((ended - began) / 2),
  };
};

/** What the difference costs, for an operator; undefined when it is small enough. */
export const clockWarning = (
  { aheadMs, uncertaintyMs }: ClockDifference,
  { clockDifferenceMs }: TopicNeeds,
): string | undefined => {
  const leastMs = Math.abs(aheadMs) - uncertaintyMs;
  if (leastMs <= clockDifferenceMs) return undefined;
  return aheadMs > 0
    ? `the clock of this machine is ${leastMs} ms or more ahead of the cluster's: brokers take what arrives after its time, which can be a second record of a key`
    : `the clock of this machine is ${leastMs} ms or more behind the cluster's: brokers reject records that had to wait`;
};
