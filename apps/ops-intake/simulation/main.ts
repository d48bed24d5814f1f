import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { FAULT_NAMES, type FaultName } from './fault-names.ts';
import { MENDS, takeOut } from './mends.ts';

const { values } = parseArgs({
  options: {
    /** replays one schedule and tells everything that happens in it */
    seed: { type: 'string' },
    /** the first of several seeds; a random one when left out */
    from: { type: 'string' },
    schedules: { type: 'string', default: '1000' },
    /** the only faults to draw, comma-separated */
    faults: { type: 'string' },
    /** takes a mend out, see mends.ts, and ends at the first schedule that shows its defect */
    without: { type: 'string' },
  },
});
const mend = values.without === undefined ? undefined : MENDS[values.without];
if (values.without !== undefined && !mend) throw new Error(`--without: ${Object.keys(MENDS).join(', ')}`);
if (mend) takeOut(mend);
const { runSchedule } = await import('./schedule.ts');
const faults = (values.faults?.split(',') ?? mend?.faults ?? FAULT_NAMES) as FaultName[];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const replay = async (seed: number): Promise<void> => {
  const started = performance.now();
  const trace = (text: string, at: number): void => say(`${(at / 1_000).toFixed(3).padStart(9)} ${text}`);
  const { violations } = await runSchedule({ seed, faults, trace });
  for (const violation of violations) say(violation);
  say(`${violations.length} violations in ${(performance.now() - started).toFixed(0)} ms`);
  process.exitCode = violations.length > 0 ? 1 : 0;
};

const runMany = async (first: number, count: number): Promise<void> => {
  const started = performance.now();
  let schedules = 0;
  let answers = 0;
  let failed = 0;
  say(`seeds from ${first}, faults ${faults.join()}`);
  while (schedules < count && !(mend && failed > 0)) {
    const seed = first + schedules;
    const result = await runSchedule({ seed, faults });
    schedules += 1;
    answers += result.answers;
    if (result.violations.length === 0) continue;
    failed += 1;
    say(`seed ${seed}:`);
    for (const violation of result.violations) say(`  ${violation}`);
  }
  const perMinute = schedules / ((performance.now() - started) / 60_000);
  say(
    `${schedules} schedules, ${answers} answers, ${failed} failed; ${perMinute.toFixed(0)} schedules a minute`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
};

if (values.seed !== undefined) await replay(Number(values.seed));
else
  await runMany(
    values.from === undefined ? randomInt(2 ** 31) : Number(values.from),
    Number(values.schedules),
  );
