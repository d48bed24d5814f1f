import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FaultName } from './fault-names.ts';

/** What mends a defect, and how the source looked like without it. */
interface Mend {
  readonly defect: string;
  /** the faults that show the defect */
  readonly faults: readonly FaultName[];
  readonly changes: readonly { readonly file: string; readonly mended: string; readonly before: string }[];
}

const PRODUCER = 'libs/kafka-producer/src';
const SERVICE = 'apps/ops-intake/src';

/** Brokers reject what arrives after its time. It also stops what other mends stop, so it is taken out with them. */
const FENCE = {
  file: `${PRODUCER}/cluster/topic-settings.ts`,
  mended: '[BEFORE_MAX]: String(recordAgeMs),',
  before: '',
};

/** By name, for `--without`. */
export const MENDS: Readonly<Record<string, Mend>> = {
  'connection-reset': {
    defect: 'bytes of a closed connection arrive after the lease',
    faults: ['cut-from-brokers'],
    changes: [
      {
        file: `${PRODUCER}/wire/broker-connection.ts`,
        mended: 'socket.resetAndDestroy()',
        before: 'socket.destroy()',
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
        mended: 'one.sendBefore <= now',
        before: 'one.sendBefore < -Infinity',
      },
      {
        file: `${SERVICE}/application/submit-operations.ts`,
        mended: 'deadlineMs - (timers.now() - startedAt)',
        before: 'deadlineMs',
      },
      FENCE,
    ],
  },
  'look-up-unknown': {
    defect: 'a key whose outcome is unknown is published again',
    faults: ['instance-killed'],
    changes: [
      {
        file: `${SERVICE}/application/submit-operations.ts`,
        mended: 'await lookUpKey(claim, from, now)',
        before: "'absent'",
      },
    ],
  },
  'look-up-forgotten': {
    defect: 'keys that the store has lost are accepted again',
    faults: ['store-lost'],
    changes: [
      {
        file: `${SERVICE}/application/submit-operations.ts`,
        mended: "claimed?.state === 'claimed' && isPerhapsForgotten(now)",
        before: 'false',
      },
    ],
  },
  'search-to-the-end': {
    defect: 'the search stops at the first batch later than its window',
    faults: ['future-record', 'clock-wrong'],
    changes: [
      {
        file: `${PRODUCER}/search/record-search.ts`,
        mended: ' + (options.disorderMs?.() ?? Infinity)',
        before: '',
      },
    ],
  },
  'leader-epoch': {
    defect: 'a deposed leader answers a search',
    faults: ['broker-frozen'],
    changes: [
      {
        file: `${PRODUCER}/search/record-search.ts`,
        mended: 'await cluster.majorityMetadata()',
        before: 'await cluster.topicMetadata()',
      },
    ],
  },
};

const ROOT = new URL('../../../', import.meta.url);

/**
 * The sources without a mend, by URL.
 * @throws when the sources no longer have it
 */
export const sourcesWithout = ({ changes }: Mend): ReadonlyMap<string, string> => {
  const sources = new Map<string, string>();
  for (const { file, mended, before } of changes) {
    const path = fileURLToPath(new URL(file, ROOT));
    const url = pathToFileURL(path).href;
    const source = sources.get(url) ?? stripTypeScriptTypes(readFileSync(path, 'utf8'));
    if (!source.includes(mended)) throw new Error(`${file} has no ${mended}`);
    sources.set(url, source.replaceAll(mended, before));
  }
  return sources;
};

/** Takes a mend out of the sources as they are loaded from now on. */
export const takeOut = (mend: Mend): void => {
  const sources = sourcesWithout(mend);
  registerHooks({
    load: (url, context, next) => {
      const source = sources.get(url.split('?')[0]!);
      return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
    },
  });
};
