import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FAULT_NAMES } from '../simulation/fault-names.ts';
import { changedSources } from '@workspace/testing/source-changes';
import { FIXES } from '../simulation/fixes.ts';
import { runSchedule } from '../simulation/schedule.ts';

const historyOf = async (seed: number): Promise<string[]> => {
  const history: string[] = [];
  await runSchedule({ seed, faults: FAULT_NAMES, trace: (text, at) => history.push(`${at} ${text}`) });
  return history;
};

/** Runs the command as `npx nx simulate ops-intake` does. */
const simulate = async (...options: string[]): Promise<{ code: number; printed: string }> => {
  const args = [
    '--disable-warning=ExperimentalWarning',
    join(__dirname, '../simulation/main.ts'),
    ...options,
  ];
  return promisify(execFile)('tsx', args).then(
    ({ stdout }) => ({ code: 0, printed: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      printed: stdout + stderr,
    }),
  );
};

describe('the simulation', () => {
  it('has the same history for the same seed, to the last microsecond', async () => {
    const history = await historyOf(17);
    expect(history.length).toBeGreaterThan(20);
    expect(await historyOf(17)).toEqual(history);
    expect(await historyOf(18)).not.toEqual(history);
  });

  it('goes on without what is left out', async () => {
    const faults = FAULT_NAMES;
    const { parts } = await runSchedule({ seed: 17, faults });
    const [first, ...others] = parts;
    expect(await runSchedule({ seed: 17, faults, leftOut: [first!] })).toMatchObject({ parts: others });
  });

  it.each(Object.entries(FIXES))('can take out %s: the sources still have it', (_name, fix) => {
    expect([...changedSources(fix.changes).keys()]).toHaveLength(
      new Set(fix.changes.map(({ file }) => file)).size,
    );
  });

  it('finds a defect, says which seed shows it, and replays what is left of that', async () => {
    const found = await simulate('--without', 'look-up-forgotten', '--from', '1', '--schedules', '100');
    expect(found).toMatchObject({ code: 1, printed: expect.stringContaining('doubled: ') as unknown });
    const [, options] = /^what happened: npx nx simulate ops-intake (.*)$/m.exec(found.printed)!;
    const replayed = await simulate(...options!.split(' '));
    expect(replayed).toMatchObject({ code: 1, printed: expect.stringContaining('doubled: ') as unknown });
    expect(replayed.printed).toContain('fault: the key store is empty');
  });

  it('finds nothing in a service that has all its fixes', async () => {
    const { code, printed } = await simulate('--schedules', '10');
    expect(printed).toMatch(
      /^seeds from \d+, [^]* schedules, \d+ answers, 0 failed; \d+ schedules a minute$/m,
    );
    expect(code).toBe(0);
  });

  it.each([
    [['--without', 'everything'], /--without is one of .*look-up-forgotten/],
    [['--faults', 'flood'], /--faults are of .*store-lost/],
  ])('says what there is instead of %j', async (options, expected) => {
    const { code, printed } = await simulate(...options);
    expect(printed).toMatch(expected);
    expect(code).toBe(2);
  });
});
