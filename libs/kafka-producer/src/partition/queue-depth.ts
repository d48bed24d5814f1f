export interface QueueLimits {
  /** most records that wait for Kafka or are on their way */
  queueRecords: number;
  /** most bytes that wait for Kafka or are on their way */
  queueBytes: number;
}

/** What waits for Kafka or is on its way, over all partitions. */
export interface QueueDepth {
  readonly records: number;
  readonly bytes: number;
  readonly isFull: boolean;
  /** Takes room for a record of this many bytes; false when there is none. */
  enter(bytes: number): boolean;
  leave(bytes: number): void;
  /** resolves when nothing waits and nothing is on its way */
  emptied(): Promise<void>;
}

export const createQueueDepth = ({ queueRecords, queueBytes }: QueueLimits): QueueDepth => {
  let records = 0;
  let bytes = 0;
  let waiting: (() => void)[] = [];
  const isFull = (): boolean => records >= queueRecords || bytes >= queueBytes;
  return {
    get records() {
      return records;
    },
    get bytes() {
      return bytes;
    },
    get isFull() {
      return isFull();
    },
    enter: (size) => {
      if (isFull() || bytes + size > queueBytes) return false;
      records += 1;
      bytes += size;
      return true;
    },
    leave: (size) => {
      records -= 1;
      bytes -= size;
      if (records > 0) return;
      for (const notify of waiting) notify();
      waiting = [];
    },
    emptied: () => (records === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
};
