import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  branchOf,
  buildVersion,
  type Catalogue,
  compareVersions,
  historyTable,
  latestRelease,
  loadDataFolder,
  releasesOf,
} from '@workspace/release-catalogue';
import { DataCopy, NOW } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

const DAY = 24 * 60 * 60 * 1000;
const BRANCHES = ['8.3', '8.4', '8.5', '8.6'];

/** What is on record, by what names it: `release 8.4.25`, `slot 8.4.26`, `news Title`. */
type Facts = ReadonlyMap<string, string>;

const factsOf = ({ branches, news }: Catalogue): Facts =>
  new Map([
    ...branches
      .flatMap(releasesOf)
      .map(({ version, yanked }) => [`release ${version}`, yanked ? 'withdrawn' : 'stands'] as const),
    ...branches
      .flatMap(({ pre_releases }) => pre_releases)
      .map((slot) => [`slot ${slot.version}`, buildVersion(slot)] as const),
    ...news.map(({ title, summary }) => [`news ${title}`, summary] as const),
  ]);

/** What a merge without conflicts leaves on record: on each subject what one side changed, or else what both have. */
const mergedFacts = (base: Facts, mine: Facts, theirs: Facts): Facts =>
  new Map(
    [...new Set([...mine.keys(), ...theirs.keys()])].flatMap((subject) => {
      const fact = (mine.get(subject) === base.get(subject) ? theirs : mine).get(subject);
      return fact === undefined ? [] : [[subject, fact] as const];
    }),
  );

/** One of two release managers, who works in a clone, and what the clone has to have on record. */
interface Manager {
  readonly folder: string;
  facts: Map<string, string>;
}

interface World {
  readonly data: DataCopy;
  readonly managers: readonly [Manager, Manager];
  /** what both had on record when they last merged */
  base: Facts;
  now: Date;
  count: number;
}

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

const newWorld = async (): Promise<World> => {
  const data = new DataCopy();
  const origin = join(data.root, 'origin');
  cpSync(data.folder, origin, { recursive: true });
  git(origin, 'init', '-q', '--initial-branch=main');
  git(origin, 'add', '-A');
  git(origin, 'commit', '-qm', 'data');
  const facts = factsOf((await loadDataFolder(origin)).catalogue);
  const managers = ['one', 'other'].map((name): Manager => {
    git(data.root, 'clone', '-q', origin, name);
    return { folder: join(data.root, name), facts: new Map(facts) };
  }) as [Manager, Manager];
  return { data, managers, base: facts, now: NOW, count: 0 };
};

/** A manager's command, which is accepted, and after which the clone is valid. */
const run = async (world: World, { folder }: Manager, ...args: string[]) => {
  world.now = new Date(world.now.getTime() + DAY);
  const before = (await loadDataFolder(folder)).catalogue.revision;
  const result = await cli(folder, [...args, '--yes'], { now: world.now });
  expect({ args, ...result }).toMatchObject({ args, code: 0 });
  expect((await loadDataFolder(folder)).catalogue.revision.getTime()).toBeGreaterThan(before.getTime());
};

/** Digests that no other file has. @returns the path of a manifest */
const manifest = (world: World, version: string): string => {
  world.count += 1;
  const digest = (archive: string) => createHash('sha256').update(`${archive} ${world.count}`).digest('hex');
  return world.data.manifest(version, { gz: digest('gz'), bz2: digest('bz2'), xz: digest('xz') });
};

const releasesIn = (facts: Facts, branch: string, fact?: string): string[] =>
  [...facts]
    .filter(([subject, found]) => subject.startsWith('release ') && (fact === undefined || found === fact))
    .map(([subject]) => subject.slice('release '.length))
    .filter((version) => branchOf(version) === branch)
    .sort(compareVersions);

const nextVersion = (facts: Facts, branch: string): string => {
  const newest = releasesIn(facts, branch).at(-1);
  return newest === undefined ? `${branch}.0` : `${branch}.${Number(newest.split('.')[2]) + 1}`;
};

/** What the data of a clone say is what its manager published. */
const check = async (world: World, { folder, facts }: Manager) => {
  expect(await cli(folder, ['validate'], { now: world.now })).toMatchObject({ code: 0 });
  const { catalogue } = await loadDataFolder(folder);
  expect(Object.fromEntries(factsOf(catalogue))).toEqual(Object.fromEntries(facts));
  for (const branch of catalogue.branches) {
    expect(latestRelease(branch)?.version).toBe(releasesIn(facts, branch.branch, 'stands').at(-1));
    if (branch.current) expect(branch.current.version).toBe(releasesIn(facts, branch.branch).at(-1));
    const history = historyTable(catalogue, 8).filter((row) => row.branch === branch);
    expect(history.map(({ release }) => release.version)).toEqual(
      history.map(({ release }) => release.version).sort((a, b) => compareVersions(b, a)),
    );
  }
};

type Step = fc.AsyncCommand<object, World>;

/** A step of one of the two managers. */
const step = (
  name: string,
  who: 0 | 1,
  does: (world: World, manager: Manager) => Promise<boolean | void>,
): Step => ({
  check: () => true,
  run: async (_, world) => {
    const manager = world.managers[who];
    if ((await does(world, manager)) !== false) await check(world, manager);
  },
  toString: () => `${who === 0 ? 'one' : 'the other'}: ${name}`,
});

const pick = <T>(of: readonly T[], index: number): T | undefined => of[index % Math.max(1, of.length)];

const promote = (who: 0 | 1, branch: string) =>
  step(`promote ${branch}`, who, async (world, manager) => {
    const version = nextVersion(manager.facts, branch);
    const list = manifest(world, version);
    await run(world, manager, 'promote', version, '--kind', 'bugfix', '--manifest', list);
    manager.facts.set(`release ${version}`, 'stands');
    for (const subject of manager.facts.keys()) {
      const [kind, slot = ''] = subject.split(' ');
      if (kind === 'slot' && branchOf(slot) === branch && compareVersions(slot, version) <= 0)
        manager.facts.delete(subject);
    }
  });

const addCandidate = (who: 0 | 1, branch: string) =>
  step(`add-pre-release ${branch}`, who, async (world, manager) => {
    const version = nextVersion(manager.facts, branch);
    const before = /RC(\d+)$/.exec(manager.facts.get(`slot ${version}`) ?? '')?.[1] ?? 0;
    const build = `${version}RC${Number(before) + 1}`;
    await run(world, manager, 'add-pre-release', build, '--manifest', manifest(world, build));
    manager.facts.set(`slot ${version}`, build);
  });

const yank = (who: 0 | 1, branch: string, index: number) =>
  step(`yank of ${branch}`, who, async (world, manager) => {
    const version = pick(releasesIn(manager.facts, branch, 'stands').reverse(), index);
    if (version === undefined) return false;
    await run(world, manager, 'yank', version, '--reason', 'eats data');
    manager.facts.set(`release ${version}`, 'withdrawn');
  });

const restore = (who: 0 | 1, branch: string, index: number) =>
  step(`undo a yank of ${branch}`, who, async (world, manager) => {
    const version = pick(releasesIn(manager.facts, branch, 'withdrawn'), index);
    if (version === undefined) return false;
    await run(world, manager, 'correct', version, '--remove', '/yanked', '--reason', 'it does not');
    manager.facts.set(`release ${version}`, 'stands');
  });

const correctDigests = (who: 0 | 1, branch: string) =>
  step(`correct ${branch}`, who, async (world, manager) => {
    const version = releasesIn(manager.facts, branch).at(-1);
    if (version === undefined) return false;
    const list = manifest(world, version);
    await run(world, manager, 'correct', version, '--manifest', list, '--reason', 'packed again');
  });

const addNews = (who: 0 | 1, index: number) =>
  step('add-news', who, async (world, manager) => {
    const title = `News ${index}`;
    const summary = `as of ${(world.count += 1)}`;
    const options = ['--link', 'https://www.php.net/news', '--summary', summary, '--category', 'releases'];
    const known = manager.facts.has(`news ${title}`) ? ['--replace'] : [];
    await run(world, manager, 'add-news', title, ...options, ...known);
    manager.facts.set(`news ${title}`, summary);
  });

/** One pulls from the other. Where both changed a file, he takes what the other has instead of his own. */
const merge = (who: 0 | 1) =>
  step('merge', who, async (world, manager) => {
    const [one, other] = world.managers;
    const from = manager === one ? other : one;
    const revisions: number[] = [];
    for (const { folder } of world.managers) {
      git(folder, 'add', '-A');
      git(folder, 'commit', '-q', '--allow-empty', '-m', 'data');
      revisions.push((await loadDataFolder(folder)).catalogue.revision.getTime());
    }
    git(manager.folder, 'fetch', '-q', from.folder, 'main');
    try {
      git(manager.folder, 'merge', '-q', '--no-edit', 'FETCH_HEAD');
      manager.facts = new Map(mergedFacts(world.base, manager.facts, from.facts));
    } catch {
      git(manager.folder, 'reset', '-q', '--hard', 'FETCH_HEAD');
      manager.facts = new Map(from.facts);
    }
    git(from.folder, 'pull', '-q', '--ff-only', manager.folder, 'main');
    from.facts = new Map(manager.facts);
    world.base = new Map(manager.facts);
    await check(world, from);
  });

it('two managers publish in two clones and merge: the data stay valid and say what was published', async () => {
  const who = fc.constantFrom(0 as const, 1 as const);
  const branch = fc.constantFrom(...BRANCHES);
  const index = fc.nat(3);
  const steps: fc.Arbitrary<Step>[] = [
    fc.tuple(who, branch).map((a) => promote(...a)),
    fc.tuple(who, fc.constantFrom('8.4', '8.5', '8.6')).map((a) => addCandidate(...a)),
    fc.tuple(who, branch, index).map((a) => yank(...a)),
    fc.tuple(who, branch, index).map((a) => restore(...a)),
    fc.tuple(who, branch).map((a) => correctDigests(...a)),
    fc.tuple(who, index).map((a) => addNews(...a)),
    who.map((a) => merge(a)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 20, size: 'max' }), async (commands) => {
      const world = await newWorld();
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
      } finally {
        world.data.remove();
      }
    }),
    { numRuns: 5 },
  );
}, 120_000);
