import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type FaultName, FAULTS } from './faults.ts';
import { runSchedule } from './schedule.ts';

const { values } = parseArgs({
  options: {
    /** replays one schedule and tells everything that happens in it */
    seed: { type: 'string' },
    /** the first of several seeds; a random one when left out */
    from: { type: 'string' },
    schedules: { type: 'string', default: '1000' },
    /** the only faults to draw, comma-separated */
    faults: { type: 'string' },
  },
});
const faults = (values.faults?.split(',') ?? Object.keys(FAULTS)) as FaultName[];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (values.seed !== undefined) {
  const started = performance.now();
  const trace = (text: string, at: number): void => say(`${(at / 1_000).toFixed(3).padStart(9)} ${text}`);
  const { violations } = await runSchedule({ seed: Number(values.seed), faults, trace });
  say(`${(performance.now() - started).toFixed(0)} ms`);
  for (const violation of violations) say(violation);
  process.exitCode = violations.length > 0 ? 1 : 0;
} else {
  const first = values.from === undefined ? randomInt(2 ** 31) : Number(values.from);
  const count = Number(values.schedules);
  const started = performance.now();
  let answers = 0;
  let failed = 0;
  say(`seeds ${first} to ${first + count - 1}`);
  for (let seed = first; seed < first + count; seed += 1) {
    const result = await runSchedule({ seed, faults });
    answers += result.answers;
    if (result.violations.length === 0) continue;
    failed += 1;
    say(`seed ${seed} (${seed - first + 1} schedules):`);
    for (const violation of result.violations) say(`  ${violation}`);
  }
  const minutes = (performance.now() - started) / 60_000;
  say(
    `${count} schedules, ${answers} answers, ${failed} failed; ${(count / minutes).toFixed(0)} schedules a minute`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
