// `nx takeover docker` or `docker/engine/run tsx e2e/takeover.ts [runs]`: what becomes of acknowledged records when
// compose.cluster.yaml is put on a stack that ran alone, and compose.yaml alone on a cluster. Each run starts a new single
// stack and, under keyed load, adds compose.cluster.yaml, without an id of a cluster and with one. Both must be refused;
// without the file, the single broker must have every record that it acknowledged. Every fifth run and the last then follow
// runbooks/growing.md, start compose.yaml alone under load, which must be refused, and follow runbooks/shrinking.md: the
// cluster and the single broker must have every record that they acknowledged.
//
// Prints a table with one row a run. Exit code 1 when a record was lost or written twice, or a start was not refused.
import buildImages from './support/build-images.ts';
import { duplicates, lost } from './support/delivered.ts';
import { blocksOf } from './support/runbooks.ts';
import { keyedLoad } from './support/keyed-load.ts';
import { Stack } from './support/stack.ts';

const CLUSTER = 'compose.yaml:compose.cluster.yaml';
const CLUSTER_ID = 'dGhyZWUtYnJva2Vycy0zMw';
const SINGLE_STACK = ['proxy', 'ops-intake', 'kafka'];
/** Submissions acknowledged before and after each change. */
const SUBMISSIONS = 200;
/** A stack that starts anew on a busy machine takes its time. */
const TIMEOUT = { timeoutMs: 300_000 };

type Outcome = 'refused' | 'STARTED';

interface Run {
  /** submissions answered with 202 by the single broker, before and after the refusal */
  single: number;
  /** what `docker compose up` did with the cluster's file over the single broker */
  outcome: Outcome;
  /** acknowledged by the single broker and not in its log after the refusal */
  lost: number;
  /** records more than once in a log, although no client received an unknown outcome */
  duplicates: number;
  migration?: Migration;
}

interface Migration {
  /** submissions answered with 202 by the cluster, before and after the refusal */
  cluster: number;
  /** what `docker compose up` did with the single broker's file alone */
  outcome: Outcome;
  lost: number;
  duplicates: number;
  /** acknowledged by the single broker and not in its log after the way back */
  lostByReturn: number;
}

/** @param reason what the message of a refusal contains */
const outcomeOf = (start: Promise<unknown>, reason: string): Promise<Outcome> =>
  start.then(
    () => 'STARTED' as const,
    (error: Error) => {
      if (!error.message.includes(reason)) throw error;
      return 'refused' as const;
    },
  );

/** Follows the runbook to the cluster and goes back. @param single submission ids acknowledged by the single broker */
const migrate = async (stack: Stack, single: readonly string[]): Promise<Migration> => {
  await stack.shell(blocksOf('growing.md'));
  const load = keyedLoad(stack, TIMEOUT);
  await load.more(SUBMISSIONS);
  const alone = ['-f', 'compose.yaml', 'up', '--detach', '--no-build', '--wait'];
  const outcome = await outcomeOf(stack.compose(...alone), 'single-broker-check');
  await stack.up();
  await load.more(SUBMISSIONS);
  await load.stop();
  const cluster = [...load.acknowledged.values()];
  const inCluster = await stack.keys();

  await stack.shell(blocksOf('shrinking.md'));
  await stack.writable();
  return {
    cluster: cluster.length,
    outcome,
    lost: lost(cluster, inCluster),
    duplicates: duplicates(inCluster, load.unknownOutcomes),
    lostByReturn: lost(single, await stack.keys()),
  };
};

const takeOver = async (withMigration: boolean): Promise<Run> => {
  const stack = await Stack.create();
  try {
    await stack.up(...SINGLE_STACK);
    await stack.writable();
    const load = keyedLoad(stack, TIMEOUT);
    await load.more(SUBMISSIONS);

    stack.set({ COMPOSE_FILE: CLUSTER });
    const untouched = await outcomeOf(stack.up(), 'docker/runbooks/growing.md');
    await load.more(SUBMISSIONS);
    stack.set({ KAFKA_CLUSTER_ID_OF_THREE: CLUSTER_ID });
    const checked = await outcomeOf(stack.up(), 'single-broker-check');
    const outcome = untouched === 'refused' ? checked : untouched;
    stack.set({ COMPOSE_FILE: undefined, KAFKA_CLUSTER_ID_OF_THREE: undefined });
    await stack.up('--remove-orphans', ...SINGLE_STACK);
    await load.more(SUBMISSIONS);
    await load.stop();
    const single = [...load.acknowledged.values()];
    const log = await stack.keys();
    return {
      single: single.length,
      outcome,
      lost: lost(single, log),
      duplicates: duplicates(log, load.unknownOutcomes),
      ...(withMigration && { migration: await migrate(stack, single) }),
    };
  } finally {
    await stack.remove();
  }
};

buildImages();
const runs = Number(process.argv[2] ?? 20);
console.log(
  '| run | acknowledged by one broker | cluster file | lost | written twice | acknowledged by the cluster | single file | lost | written twice | lost after going back | seconds |',
);
console.log('| --: | --: | --- | --: | --: | --: | --- | --: | --: | --: | --: |');
let failed = false;
for (let number = 1; number <= runs; number += 1) {
  const began = Date.now();
  const {
    single,
    outcome,
    lost: lostRecords,
    duplicates: twice,
    migration,
  } = await takeOver(number % 5 === 0 || number === runs);
  const seconds = Math.round((Date.now() - began) / 1000);
  const {
    cluster,
    outcome: back,
    lost: lostInCluster,
    duplicates: twiceInCluster,
    lostByReturn,
  } = migration ?? {};
  const counts = [lostRecords, twice, lostInCluster, twiceInCluster, lostByReturn];
  const [a, b, ...rest] = counts.map((count) => count ?? '');
  console.log(
    `| ${[number, single, outcome, a, b, cluster ?? '', back ?? '', ...rest, seconds].join(' | ')} |`,
  );
  failed ||= outcome !== 'refused' || back === 'STARTED' || counts.some((count) => (count ?? 0) > 0);
}
process.exit(failed ? 1 : 0);
