// `nx takeover docker` or `docker/engine/run tsx e2e/takeover.ts [runs]`: what becomes of acknowledged records when
// compose.cluster.yaml is put on a stack that ran alone. Each run starts a new single stack and, under keyed load,
//
//   1. adds compose.cluster.yaml: that must be refused; without it, the single broker must have every record;
//   2. follows runbooks/growing.md: every record acknowledged by the cluster must be in the cluster;
//   3. goes back to the single broker, which must still have every record that it acknowledged.
//
// Prints a table with one row a run. Exit code 1 when a record was lost, or a start not refused.
import { blocksOf } from './support/runbooks.ts';
import { keyedLoad } from './support/keyed-load.ts';
import { Stack } from './support/stack.ts';

const CLUSTER = 'compose.yaml:compose.cluster.yaml';
const SINGLE_STACK = ['proxy', 'ops-intake', 'kafka'];
/** Submissions acknowledged before and after each change. */
const SUBMISSIONS = 200;

interface Run {
  /** submissions answered with 202 by the single broker, before and after the refusal */
  single: number;
  /** what `docker compose up` said: refused by single-broker-check, or it started the cluster */
  outcome: 'refused' | 'STARTED';
  /** acknowledged by the single broker and not in its log after the refusal */
  lostByRefusal: number;
  /** submissions answered with 202 by the cluster */
  cluster: number;
  lostByCluster: number;
  /** acknowledged by the single broker and not in its log after the cluster ran and the way back */
  lostByReturn: number;
  /** records more than once in either log, although no client was told that the outcome is unknown */
  duplicates: number;
  seconds: number;
}

const lost = (acknowledged: Iterable<string>, log: readonly string[]): number => {
  const written = new Set(log);
  return [...acknowledged].filter((key) => !written.has(key)).length;
};
const duplicates = (log: readonly string[], doubtful: ReadonlySet<string>): number => {
  const seen = new Set<string>();
  let count = 0;
  for (const key of log) {
    if (seen.has(key) && !doubtful.has(key)) count += 1;
    seen.add(key);
  }
  return count;
};

async function takeOver(): Promise<Run> {
  const began = Date.now();
  const stack = await Stack.create();
  try {
    await stack.up(...SINGLE_STACK);
    await stack.writable();
    const load = keyedLoad(stack);
    await load.more(SUBMISSIONS);

    stack.set({ COMPOSE_FILE: CLUSTER });
    const outcome = await stack.up().then(
      () => 'STARTED' as const,
      (error: Error) => {
        if (!error.message.includes('single-broker-check')) throw error;
        return 'refused' as const;
      },
    );
    stack.set({ COMPOSE_FILE: undefined });
    await stack.up('--remove-orphans', ...SINGLE_STACK);
    await load.more(SUBMISSIONS);
    await load.stop();
    const single = [...load.acknowledged.values()];
    const afterRefusal = await stack.keys();

    await stack.shell(blocksOf('growing.md'));
    const clusterLoad = keyedLoad(stack);
    await clusterLoad.more(SUBMISSIONS);
    await clusterLoad.stop();
    const cluster = [...clusterLoad.acknowledged.values()];
    const inCluster = await stack.keys();

    stack.set({});
    await stack.up('--remove-orphans', ...SINGLE_STACK);
    await stack.writable();
    return {
      single: single.length,
      outcome,
      lostByRefusal: lost(single, afterRefusal),
      cluster: cluster.length,
      lostByCluster: lost(cluster, inCluster),
      lostByReturn: lost(single, await stack.keys()),
      duplicates: duplicates(afterRefusal, load.doubtful) + duplicates(inCluster, clusterLoad.doubtful),
      seconds: Math.round((Date.now() - began) / 1000),
    };
  } finally {
    await stack.remove();
  }
}

const runs = Number(process.argv[2] ?? 20);
console.log(
  '| run | acknowledged by the single broker | `up` with the cluster file | lost | acknowledged by the cluster | lost | lost after going back | duplicates | seconds |',
);
console.log('| --: | --: | --- | --: | --: | --: | --: | --: | --: |');
let failed = false;
for (let number = 1; number <= runs; number += 1) {
  const run = await takeOver();
  const { single, outcome, lostByRefusal, cluster, lostByCluster, lostByReturn, seconds } = run;
  const cells = [
    number,
    single,
    outcome,
    lostByRefusal,
    cluster,
    lostByCluster,
    lostByReturn,
    run.duplicates,
    seconds,
  ];
  console.log(`| ${cells.join(' | ')} |`);
  failed ||= outcome !== 'refused' || lostByRefusal + lostByCluster + lostByReturn + run.duplicates > 0;
}
process.exit(failed ? 1 : 0);
