import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { loadDataFolder } from '@workspace/release-catalogue';
import { DataCopy } from '@workspace/release-catalogue/testing';
import { startCommand } from './crash/command-line.ts';

/** Kills at random moments, after those at every step. */
const RANDOM_KILLS = Number(process.env['CRASH_ROUNDS'] ?? 20);

const FILE = 'branches/8.4.json';

describe('kill -9 in the middle of promote', () => {
  let data: DataCopy;
  let promotion: string[];
  let before: Record<string, string>;

  beforeAll(() => {
    data = new DataCopy();
    data.pack('8.4.25');
    before = data.texts();
    promotion = [
      'promote',
      '8.4.25',
      '--kind',
      'security',
      '--fixes',
      'CVE-2026-0000',
      '--tarballs',
      data.archives,
      '--data',
      data.folder,
      '--yes',
    ];
  });
  beforeEach(() => reset());
  afterAll(() => data.remove());

  /** Whether the promotion happened. Anything but wholly before or wholly after fails the test. */
  const outcome = async (): Promise<'before' | 'after'> => {
    const { catalogue } = await loadDataFolder(data.folder);
    const branch = catalogue.branches.find(({ branch }) => branch === '8.4')!;
    const { [FILE]: now, ...others } = dataOnly(data.texts());
    const { [FILE]: was, ...untouched } = before;
    expect(others).toEqual(untouched);
    if (now === was) return 'before';
    expect([branch.current?.version, branch.history[0]?.version]).toEqual(['8.4.25', '8.4.24']);
    expect(branch.pre_releases).toEqual([]);
    expect(branch.retired_builds.map(({ version }) => version)).toEqual(['8.4.25RC1']);
    expect(branch.audit.map(({ action }) => action)).toEqual(['promote']);
    return 'after';
  };
  const reset = () => data.write(FILE, before[FILE]!);
  const leftovers = () => Object.keys(data.texts()).filter((name) => name.endsWith('.new'));

  it('leaves the data before or after at every step, and the next run goes through', async () => {
    const outcomes: string[] = [];
    for (let step = 0; ; step++) {
      const { code, signal, notes } = await startCommand(promotion, step).done;
      outcomes.push(await outcome());
      if (signal === null) {
        expect({ code, notes }).toEqual({ code: 0, notes: expect.stringContaining(`steps: ${step}`) });
        break;
      }
      expect(signal).toBe('SIGKILL');
      reset();
    }
    const firstAfter = outcomes.indexOf('after');
    expect(outcomes.slice(0, firstAfter)).not.toContain('after');
    expect(outcomes.slice(firstAfter)).not.toContain('before');
    // Around each of: open, rm of what the run before left, write, sync, close, rename | then open, sync and close of
    // the folder. A run that comes after a rename has nothing to sweep.
    expect([firstAfter, outcomes.length - firstAfter]).toEqual([12, 6]);
    expect(leftovers()).toEqual([]);
  });

  it(`leaves the data before or after at ${RANDOM_KILLS} random moments, read all the while`, async () => {
    const started = performance.now();
    expect(await startCommand(promotion).done).toMatchObject({ code: 0 });
    const whole = performance.now() - started;
    reset();

    let reading = true;
    let reads = 0;
    const versions = new Set<string>();
    const reader = (async () => {
      while (reading) {
        const { catalogue } = await loadDataFolder(data.folder);
        versions.add(catalogue.branches.find(({ branch }) => branch === '8.4')!.current!.version);
        reads += 1;
      }
    })();

    const seen = { before: 0, after: 0 };
    for (let round = 0; round < RANDOM_KILLS; round++) {
      const { child, done } = startCommand(promotion);
      // Chance is the point here: the kill hits wherever it hits.
      await Promise.race([done, delay(Math.random() * whole, undefined, { ref: false })]);
      child.kill('SIGKILL');
      await done;
      seen[await outcome()] += 1;
      reset();
    }
    reading = false;
    await reader;
    expect(seen.before + seen.after).toBe(RANDOM_KILLS);
    expect(reads).toBeGreaterThan(0);
    expect([...versions].filter((version) => !['8.4.24', '8.4.25'].includes(version))).toEqual([]);

    expect(await startCommand(promotion).done).toMatchObject({ code: 0 });
    expect(await outcome()).toBe('after');
    expect(leftovers()).toEqual([]);
  });
});

describe('several writers at once', () => {
  let data: DataCopy;
  beforeAll(() => (data = new DataCopy()));
  afterAll(() => data.remove());

  it('lose nothing: a command that did not report a write has not written', async () => {
    const versions = ['8.4.24', '8.4.23', '8.4.22', '8.4.21', '8.5.9', '8.5.8'];
    const runs = await Promise.all(
      versions.map(async (version) => ({
        version,
        ...(await startCommand(['yank', version, '--reason', 'x', '--data', data.folder, '--yes']).done),
      })),
    );
    const { catalogue } = await loadDataFolder(data.folder);
    const yanked = catalogue.branches
      .flatMap(({ current, history }) => (current ? [current, ...history] : history))
      .flatMap((release) => (release.yanked ? [release.version] : []));
    expect(yanked.sort()).toEqual(
      runs
        .filter(({ code }) => code === 0)
        .map(({ version }) => version)
        .sort(),
    );
    for (const { code, notes } of runs.filter((run) => run.code !== 0)) {
      expect({ code, notes }).toEqual({
        code: 1,
        notes: expect.stringMatching(/is writing|changed meanwhile/),
      });
    }
    expect(
      readdirSync(data.folder, { recursive: true }).filter((name) => `${name}`.endsWith('.new')),
    ).toEqual([]);
  });
});

/** Without what a killed writer left: no reader looks at it, and the next writer sweeps it. */
const dataOnly = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => !name.endsWith('.new')));
