import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FAULT_NAMES, type FaultName } from './fault-names.ts';
import { toolOptions, wrongUsage } from '@workspace/testing/tool-options';
import { loadChanged } from '@workspace/testing/source-changes';
import { FIXES } from './fixes.ts';
import type { Report, Task } from './worker.ts';

const HELP = `Usage: npx nx simulate ops-intake -- [options]

Searches for a history in which the service breaks a promise; .github/TESTING.md explains it.

  --schedules COUNT   schedules to run (default 1000)
  --seconds SECONDS   ends after this time instead
  --from SEED         the first seed (default: a random one)
  --faults LIST       the only faults to draw, separated by commas: ${FAULT_NAMES.join(', ')}
  --without FIX       takes a fix out, and ends at the first schedule that shows its defect: ${Object.keys(FIXES).join(', ')}
  --seed SEED         replays one schedule and says what happens in it
  --leave-out LIST    with --seed: what does not take part, separated by commas

Examples:
  npx nx simulate ops-intake -- --seconds 3600
  npx nx simulate ops-intake -- --seed 17 --leave-out fault-1,client-2

Exit codes: 0 no promise was broken, 1 one was, 2 wrong command line.`;

const values = toolOptions(HELP, {
  seed: { type: 'string' },
  'leave-out': { type: 'string' },
  from: { type: 'string' },
  schedules: { type: 'string', default: '1000' },
  seconds: { type: 'string' },
  faults: { type: 'string' },
  without: { type: 'string' },
});
const { without } = values;
const fix = without === undefined ? undefined : FIXES[without];
if (without !== undefined && !fix) wrongUsage(`--without is one of ${Object.keys(FIXES).join(', ')}`);
const faults = (values.faults?.split(',') ?? fix?.faults ?? FAULT_NAMES) as readonly FaultName[];
const unknown = faults.find((name) => !FAULT_NAMES.includes(name));
if (unknown !== undefined) wrongUsage(`--faults are of ${FAULT_NAMES.join(', ')}`);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const loadSchedules = async () => {
  if (fix) loadChanged(fix.changes);
  return import('./schedule.ts');
};

const replay = async (seed: number, leftOut: readonly string[]): Promise<void> => {
  const { runSchedule } = await loadSchedules();
  const started = performance.now();
  const trace = (text: string, at: number): void => say(`${(at / 1_000).toFixed(3).padStart(9)} ${text}`);
  const { violations } = await runSchedule({ seed, faults, leftOut, trace });
  for (const violation of violations) say(violation);
  say(`${violations.length} violations in ${(performance.now() - started).toFixed(0)} ms`);
  process.exitCode = violations.length > 0 ? 1 : 0;
};

/** Leaves out one part after the other while something is violated: what remains explains it. */
const shrink = async (seed: number): Promise<string[]> => {
  const { runSchedule } = await loadSchedules();
  const { parts } = await runSchedule({ seed, faults });
  let leftOut: string[] = [];
  for (const part of parts) {
    const without = [...leftOut, part];
    if ((await runSchedule({ seed, faults, leftOut: without })).violations.length > 0) leftOut = without;
  }
  return leftOut;
};

const runMany = async (first: number): Promise<void> => {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  const total = { schedules: 0, answers: 0 };
  const failed: number[] = [];
  say(`seeds from ${first}, faults ${faults.join()}`);
  const workers = Array.from({ length: availableParallelism() }, (_, number) => {
    const workerData: Task = { first: first + number, step: availableParallelism(), faults, without };
    return new Worker(new URL('worker.ts', import.meta.url), { workerData });
  });
  await new Promise<void>((resolve, reject) => {
    for (const worker of workers) {
      worker.on('message', ({ seed, violations, answers }: Report) => {
        total.schedules += 1;
        total.answers += answers;
        if (violations.length > 0) {
          failed.push(seed);
          say(`seed ${seed}:`);
          for (const violation of violations) say(`  ${violation}`);
        }
        const isOver = values.seconds
          ? seconds() >= Number(values.seconds)
          : total.schedules >= Number(values.schedules);
        if (isOver || (fix && failed.length > 0)) resolve();
      });
      worker.on('error', reject);
    }
  });
  await Promise.all(workers.map((worker) => worker.terminate()));
  const perMinute = (60 * total.schedules) / seconds();
  say(
    `${total.schedules} schedules, ${total.answers} answers, ${failed.length} failed; ` +
      `${perMinute.toFixed(0)} schedules a minute`,
  );
  if (failed.length > 0) {
    const leftOut = await shrink(failed[0]!);
    const options = [
      `--seed ${failed[0]}`,
      ...(leftOut.length > 0 ? [`--leave-out ${leftOut.join()}`] : []),
      ...(without === undefined ? [] : [`--without ${without}`]),
      ...(values.faults === undefined ? [] : [`--faults ${values.faults}`]),
    ];
    say(`what happened: npx nx simulate ops-intake ${options.join(' ')}`);
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
};

if (values.seed === undefined) await runMany(Number(values.from ?? randomInt(2 ** 31)));
else await replay(Number(values.seed), values['leave-out']?.split(',') ?? []);
