// `nx upgrade docker [commit]`: from another version of the services to this one and back, on the cluster's stack, while clients submit
// with keys and read. The other version is the latest tag, or the first commit whose images run with these compose files until there is
// a tag.
//
// Each change follows runbooks/rolling-back.md. Afterwards every acknowledged submission has to be in the log, once unless a client
// received an unknown outcome; a key that either version answered is answered by the other with the same submission id; and its state
// is the same. Prints a table with one row for each change, with the alerts that fired. Exit code 1 when one of that fails, or when a client
// got a 5xx.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';
import { duplicates, lost } from './support/delivered.ts';
import { keyedLoad } from './support/keyed-load.ts';
import { run } from './support/process.ts';
import { type Watch, watch } from './support/prometheus.ts';
import { readLoad } from './support/read-load.ts';
import { blocksOf } from './support/runbooks.ts';
import { Stack, SUBMISSION } from './support/stack.ts';

/** The first commit whose images run with these compose files. */
const FIRST = '506d3d7';
const SERVICES = ['release-web', 'ops-intake', 'ip-locate'] as const;
/** Submissions acknowledged before and after each change. */
const SUBMISSIONS = 100;
/** Acknowledged submissions that are asked for, and keys that are sent again, after each change. */
const SAMPLES = 25;
/** The tag of the images of the other version; those of this one are `dev`. */
const BEFORE = 'before';

const versions = (version: string) => ({
  RELEASE_WEB_VERSION: version,
  OPS_INTAKE_VERSION: version,
  IP_LOCATE_VERSION: version,
});
const git = async (...args: string[]): Promise<string> =>
  (await run({ command: 'git', args, cwd: workspaceRoot })).trim();

/** Builds the images of a commit, or of the folder itself. */
const build = async (folder: string, version: string): Promise<void> => {
  const args = ['compose', '--env-file', '/dev/null', 'build', '--quiet', ...SERVICES];
  await run({
    command: 'docker',
    args,
    cwd: join(folder, 'docker'),
    env: { ...process.env, ...versions(version) },
  });
};

const buildCommit = async (commit: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  try {
    await git('clone', '--quiet', '--no-checkout', workspaceRoot, folder);
    await run({ command: 'git', args: ['checkout', '--quiet', commit], cwd: folder });
    await build(folder, BEFORE);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** What the running version says of a sample of what was acknowledged: lines for what is wrong. */
const disagreements = async (stack: Stack, acknowledged: ReadonlyMap<string, string>): Promise<string[]> => {
  const wrong: string[] = [];
  const step = Math.max(1, Math.floor(acknowledged.size / SAMPLES));
  for (const [index, [key, id]] of [...acknowledged].entries()) {
    if (index % step !== 0) continue;
    const headers = { ...SUBMISSION.headers, 'idempotency-key': `"${key}"` };
    const again = await stack.ask('ops-intake', '/operations', { ...SUBMISSION, headers });
    if (again.status !== 202 || (JSON.parse(again.body) as { submissionId: string }).submissionId !== id) {
      wrong.push(`the key of ${id}: ${again.status} ${again.body}`);
    }
    const state = await stack.ask('ops-intake', `/operations/${id}`);
    if (state.status !== 200 || !state.body.includes('"accepted"')) {
      wrong.push(`GET /operations/${id}: ${state.status} ${state.body}`);
    }
  }
  return wrong;
};

/** How the runbook replaces the containers of a service. */
const replacing = (service: string): string => {
  const [loop] = /^ *for container [\s\S]*?^ *done$/m.exec(blocksOf('rolling-back.md').join('\n')) ?? [];
  if (!loop?.includes('ip-locate')) throw new Error('the runbook replaces containers in another way');
  return loop.replaceAll('ip-locate', service);
};

interface Change {
  acknowledged: number;
  lost: number;
  twice: number;
  statuses: Record<string, number>;
  reads: Record<string, number>;
  wrong: string[];
}

/** Changes one service after the other to a version under load. @param earlier all acknowledged so far, to which it adds */
const change = async (stack: Stack, version: string, earlier: Map<string, string>): Promise<Change> => {
  const load = keyedLoad(stack, { timeoutMs: 120_000 });
  const reads = readLoad(stack);
  let statuses: Record<string, number> = {};
  let answers: Record<string, number> = {};
  try {
    await load.more(SUBMISSIONS);
    for (const [name, value] of Object.entries(versions(version))) {
      stack.set({ [name]: value });
      const service = name
        .replace(/_VERSION$/, '')
        .replace('_', '-')
        .toLowerCase();
      await stack.shell([replacing(service)]);
      await load.more(SUBMISSIONS);
    }
  } finally {
    statuses = await load.stop();
    answers = await reads.stop();
  }
  for (const [key, id] of load.acknowledged) earlier.set(key, id);
  const log = await stack.keys();
  return {
    acknowledged: load.acknowledged.size,
    lost: lost(earlier.values(), log),
    twice: duplicates(log, load.unknownOutcomes),
    statuses,
    reads: answers,
    wrong: await disagreements(stack, earlier),
  };
};

const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'ops-intake@*', 'HEAD^').catch(
  () => undefined,
);
const commit = process.argv[2] ?? tag ?? FIRST;
console.log(`from ${commit} to ${await git('rev-parse', '--short', 'HEAD')} and back`);
await buildCommit(commit);
await build(workspaceRoot, 'dev');

const stack = await Stack.create({
  COMPOSE_FILE: 'compose.yaml:compose.cluster.yaml',
  KAFKA_CLUSTER_ID_OF_THREE: 'dGhyZWUtYnJva2Vycy0zMw',
  ...versions(BEFORE),
});
let failed = false;
let prometheus: Watch | undefined;
try {
  await stack.up();
  await stack.writable();
  prometheus = await watch(stack, { inHurry: false });
  const acknowledged = new Map<string, string>();
  console.log(
    '| to | acknowledged | lost | written twice | answers to submissions | answers to reads | disagreements | alerts |',
  );
  console.log('| --- | --: | --: | --: | --- | --- | --: | --- |');
  for (const version of ['dev', BEFORE]) {
    const { statuses, reads, wrong, ...rest } = await change(stack, version, acknowledged);
    const name = version === BEFORE ? commit : 'this';
    const [submissions, read] = [statuses, reads].map((answers) =>
      Object.entries(answers)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
    );
    const alerts = Object.keys(await prometheus.firing()).join(', ') || 'none';
    console.log(
      `| ${[name, rest.acknowledged, rest.lost, rest.twice, submissions, read, wrong.length, alerts].join(' | ')} |`,
    );
    for (const line of wrong) console.log(line);
    const bad = Object.keys({ ...statuses, ...reads }).filter((status) => !/^[234]\d\d/.test(status));
    failed ||= rest.lost + rest.twice + wrong.length + bad.length > 0;
  }
} finally {
  await prometheus?.end();
  await stack.remove();
}
process.exit(failed ? 1 : 0);
