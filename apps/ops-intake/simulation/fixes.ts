import type { SourceChange } from '@workspace/testing/source-changes';
import type { FaultName } from './fault-names.ts';

/** What fixes a defect, and how the source looked like without it. */
interface Fix {
  readonly defect: string;
  /** the faults that show the defect */
  readonly faults: readonly FaultName[];
  /** take the fix out of the sources */
  readonly changes: readonly SourceChange[];
}

const PRODUCER = 'libs/kafka-producer/src';
const SERVICE = 'apps/ops-intake/src';

/** Brokers reject what arrives after its time. It also stops what other fixes stop, so it is taken out with them. */
const FENCE = {
  file: `${PRODUCER}/cluster/topic-settings.ts`,
  from: '[BEFORE_MAX]: String(recordAgeMs),',
  to: '',
};

/** By name, for `--without`. */
export const FIXES: Readonly<Record<string, Fix>> = {
  'connection-reset': {
    defect: 'bytes of a closed connection arrive after the lease',
    faults: ['cut-from-brokers'],
    changes: [
      {
        file: `${PRODUCER}/wire/broker-connection.ts`,
        from: 'socket.resetAndDestroy()',
        to: 'socket.destroy()',
      },
      FENCE,
    ],
  },
  fence: {
    defect: 'bytes that the kernel of a killed or paused process kept arrive after the lease',
    faults: ['cut-from-brokers', 'instance-killed', 'instance-paused'],
    changes: [FENCE],
  },
  'age-check': {
    defect: 'a resumed process sends what it queued under an expired lease',
    faults: ['instance-paused'],
    changes: [
      {
        file: `${PRODUCER}/partition/record-queue.ts`,
        from: 'one.sendBefore <= now',
        to: 'one.sendBefore < -Infinity',
      },
      {
        file: `${SERVICE}/application/submission-attempt.ts`,
        from: 'this.endsAt - this.#context.timers.now()',
        to: 'this.#context.deadlineMs',
      },
      FENCE,
    ],
  },
  'look-up-unknown': {
    defect: 'a key whose outcome is unknown is published again',
    faults: ['instance-killed'],
    changes: [
      {
        file: `${SERVICE}/application/submission-states.ts`,
        from: "unknown: to('searching')",
        to: "unknown: to('reclaiming')",
      },
    ],
  },
  'look-up-forgotten': {
    defect: 'keys that the store has lost are accepted again',
    faults: ['store-lost'],
    changes: [
      {
        file: `${SERVICE}/application/submission-states.ts`,
        from: "'perhaps-forgotten': to('verifying')",
        to: "'perhaps-forgotten': to('numbering')",
      },
    ],
  },
  'search-to-the-end': {
    defect: 'the search stops at the first batch dated in the future',
    faults: ['future-record', 'clock-wrong'],
    changes: [
      {
        file: `${PRODUCER}/search/record-search.ts`,
        from: 'createLogReader(query, {',
        to: 'createLogReader(query, { now,',
      },
      {
        file: `${PRODUCER}/search/log-reader.ts`,
        from: 'keptSince, isLate }',
        to: 'keptSince, isLate, now }',
      },
      {
        file: `${PRODUCER}/search/log-reader.ts`,
        from: 'next = batch.nextOffset;',
        to: 'if (batch.baseTimestamp > now().getTime()) return undefined; next = batch.nextOffset;',
      },
    ],
  },
  'leader-epoch': {
    defect: 'a deposed leader answers a search',
    faults: ['broker-frozen'],
    changes: [
      {
        file: `${PRODUCER}/search/record-search.ts`,
        from: 'await cluster.majorityMetadata()',
        to: 'await cluster.topicMetadata()',
      },
    ],
  },
};
