/** What a schedule can draw; `faults.ts` says what each does. */
export const FAULT_NAMES = [
  'instance-paused',
  'instance-killed',
  'cut-from-brokers',
  'cut-from-store',
  'store-down',
  'store-lost',
  'store-failover',
  'leader-moves',
  'broker-frozen',
  'broker-killed',
  'log-truncated',
  'log-deleted',
  'throttled',
  'future-record',
  'partition-added',
  'topic-recreated',
  'write-forbidden',
  'size-limited',
  'broker-clock-ahead',
  'clock-wrong',
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];
