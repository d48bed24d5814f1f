import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FaultName } from './fault-names.ts';

/** What fixes a defect, and how the source looked like without it. */
interface Fix {
  readonly defect: string;
  /** the faults that show the defect */
  readonly faults: readonly FaultName[];
  readonly changes: readonly { readonly file: string; readonly fixed: string; readonly before: string }[];
}

const PRODUCER = 'libs/kafka-producer/src';
const SERVICE = 'apps/ops-intake/src';

/** Brokers reject what arrives after its time. It also stops what other fixes stop, so it is taken out with them. */
const FENCE = {
  file: `${PRODUCER}/cluster/topic-settings.ts`,
  fixed: '[BEFORE_MAX]: String(recordAgeMs),',
  before: '',
};

/** By name, for `--without`. */
export const FIXES: Readonly<Record<string, Fix>> = {
  'connection-reset': {
    defect: 'bytes of a closed connection arrive after the lease',
    faults: ['cut-from-brokers'],
    changes: [
      {
        file: `${PRODUCER}/wire/broker-connection.ts`,
        fixed: 'socket.resetAndDestroy()',
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
        fixed: 'one.sendBefore <= now',
        before: 'one.sendBefore < -Infinity',
      },
      {
        file: `${SERVICE}/application/submit-operations.ts`,
        fixed: 'deadlineMs - (timers.now() - startedAt)',
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
        fixed: 'await lookUpKey(claim, from, now)',
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
        fixed: "claimed?.state === 'claimed' && isPerhapsForgotten(now)",
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
        fixed: ' + (options.disorderMs?.() ?? Infinity)',
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
        fixed: 'await cluster.majorityMetadata()',
        before: 'await cluster.topicMetadata()',
      },
    ],
  },
};

const ROOT = new URL('../../../', import.meta.url);

/**
 * The sources without a fix, by URL.
 * @throws when the sources no longer have it
 */
export const sourcesWithout = ({ changes }: Fix): ReadonlyMap<string, string> => {
  const sources = new Map<string, string>();
  for (const { file, fixed, before } of changes) {
    const path = fileURLToPath(new URL(file, ROOT));
    const url = pathToFileURL(path).href;
    const source = sources.get(url) ?? stripTypeScriptTypes(readFileSync(path, 'utf8'));
    if (!source.includes(fixed)) throw new Error(`${file} has no ${fixed}`);
    sources.set(url, source.replaceAll(fixed, before));
  }
  return sources;
};

/** Takes a fix out of the sources as they are loaded from now on. */
export const takeOut = (fix: Fix): void => {
  const sources = sourcesWithout(fix);
  registerHooks({
    load: (url, context, next) => {
      const source = sources.get(url.split('?')[0]!);
      return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
    },
  });
};
