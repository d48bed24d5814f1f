import { createHash } from 'node:crypto';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  branchOf,
  buildVersion,
  type Catalogue,
  compareVersions,
  dateText,
  historyTable,
  latestRelease,
  loadDataFolder,
  longDateText,
  releasesOf,
} from '@workspace/release-catalogue';
import { DataCopy, NOW, type PhpTables } from '@workspace/release-catalogue/testing';
import { git } from './git.ts';
import { type PhpSite, publishRelease, startPhpSite } from './php-site.ts';
import { cli, unsynced } from './run-cli.ts';

const DAY = 24 * 60 * 60 * 1000;
/** The managers publish these themselves, */
const OWN_BRANCHES = ['8.4', '8.5', '8.6'];
/** and follow a site in these. */
const FOLLOWED_BRANCHES = ['8.2', '8.3'];
const BRANCHES = [...FOLLOWED_BRANCHES, ...OWN_BRANCHES];

/** What is on record, by what names it: `release 8.4.25`, `gz 8.4.25`, `slot 8.4.26`, `news Title`. */
type Facts = ReadonlyMap<string, string>;

const factsOf = ({ branches, news }: Catalogue): Facts =>
  new Map([
    ...branches
      .flatMap(releasesOf)
      .map(({ version, yanked }) => [`release ${version}`, yanked ? 'withdrawn' : 'stands'] as const),
    ...branches.flatMap(releasesOf).map(({ version, published: { source } }) => {
      const digest = source.flatMap((file) => ('sha256' in file ? [file.sha256 ?? ''] : []))[0];
      return [`gz ${version}`, digest ?? ''] as const;
    }),
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
  /** what the site that both follow publishes */
  readonly tables: PhpTables;
  readonly site: PhpSite;
  /** what both had on record when they last merged */
  base: Facts;
  now: Date;
  count: number;
}

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
  const tables = data.phpTables();
  const site = await startPhpSite(() => tables);
  return { data, managers, tables, site, base: facts, now: NOW, count: 0 };
};

const closeWorld = async ({ data, site }: World): Promise<void> => {
  await site.close();
  data.remove();
};

/** A manager's command, which is accepted, and after which the clone is valid. */
const run = async (world: World, { folder }: Manager, ...args: string[]) => {
  world.now = new Date(world.now.getTime() + DAY);
  const before = (await loadDataFolder(folder)).catalogue.revision;
  const result = await cli(folder, [...args, '--yes'], { now: world.now, files: unsynced });
  expect({ args, ...result }).toMatchObject({ args, code: 0 });
  expect((await loadDataFolder(folder)).catalogue.revision.getTime()).toBeGreaterThan(before.getTime());
};

/** Digests that no other file has. */
const newDigests = (world: World): Record<'gz' | 'bz2' | 'xz', string> => {
  world.count += 1;
  const digest = (archive: string) => createHash('sha256').update(`${archive} ${world.count}`).digest('hex');
  return { gz: digest('gz'), bz2: digest('bz2'), xz: digest('xz') };
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
    if ((await does(world, manager)) === false) return;
    await check(world, manager);
  },
  toString: () => `${who === 0 ? 'one' : 'the other'}: ${name}`,
});

const pick = <T>(of: readonly T[], index: number): T | undefined => of[index % Math.max(1, of.length)];

/** A release is on record from now on, and the slots that it overtakes are not. */
const released = ({ facts }: Manager, version: string, gz: string): void => {
  facts.set(`release ${version}`, 'stands').set(`gz ${version}`, gz);
  for (const subject of facts.keys()) {
    const [kind, slot = ''] = subject.split(' ');
    if (kind === 'slot' && branchOf(slot) === branchOf(version) && compareVersions(slot, version) <= 0)
      facts.delete(subject);
  }
};

const promote = (who: 0 | 1, branch: string) =>
  step(`promote ${branch}`, who, async (world, manager) => {
    const version = nextVersion(manager.facts, branch);
    const digests = newDigests(world);
    const list = world.data.manifest(version, digests);
    await run(world, manager, 'promote', version, '--kind', 'bugfix', '--manifest', list);
    released(manager, version, digests.gz);
  });

const addCandidate = (who: 0 | 1, branch: string) =>
  step(`add-pre-release ${branch}`, who, async (world, manager) => {
    const version = nextVersion(manager.facts, branch);
    const before = /RC(\d+)$/.exec(manager.facts.get(`slot ${version}`) ?? '')?.[1] ?? 0;
    const build = `${version}RC${Number(before) + 1}`;
    await run(
      world,
      manager,
      'add-pre-release',
      build,
      '--manifest',
      world.data.manifest(build, newDigests(world)),
    );
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
    const digests = newDigests(world);
    const list = world.data.manifest(version, digests);
    await run(world, manager, 'correct', version, '--manifest', list, '--reason', 'packed again');
    manager.facts.set(`gz ${version}`, digests.gz);
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

/** The site publishes a release of a branch that the managers follow, or a build to test. */
const publish = (branch: string, isBuild: boolean) =>
  step(`the site publishes ${isBuild ? 'a build' : 'a release'} of ${branch}`, 0, async (world) => {
    const { tables } = world;
    world.now = new Date(world.now.getTime() + DAY);
    const current = Object.keys(tables.current['8']!).find((version) => branchOf(version) === branch)!;
    const version = `${branch}.${Number(current.split('.')[2]) + 1}`;
    const { gz, bz2, xz } = newDigests(world);
    const slots = tables.qa;
    if (!isBuild) {
      const digests = [gz, bz2, xz];
      publishRelease(tables, version, { date: dateText(world.now), tags: [], digests });
      delete slots[version];
      return;
    }
    const number = (slots[version]?.release.number ?? 0) + 1;
    const baseurl = 'https://downloads.php.net/~someone/';
    const hashes = { sha256_bz2: bz2, sha256_gz: gz, sha256_xz: xz };
    const release = { type: 'RC' as const, number, ...hashes, date: longDateText(world.now), baseurl };
    slots[version] = { active: true, release };
  });

/** What the data of a manager have on record after an import from the site. @returns the exit code */
const imported = ({ tables }: World, manager: Manager): number => {
  const { facts } = manager;
  const all = Object.entries({ ...tables.old['8'], ...tables.current['8'] }).map(([version, { source }]) => ({
    version,
    gz: (source[0] as { sha256?: string }).sha256 ?? '',
  }));
  const news = all
    .filter(({ version }) => !facts.has(`release ${version}`))
    .sort((a, b) => compareVersions(a.version, b.version));
  for (const { version, gz } of news) released(manager, version, gz);
  for (const [version, slot] of Object.entries(tables.qa))
    if (FOLLOWED_BRANCHES.includes(branchOf(version)) && slot.release.number > 0)
      facts.set(`slot ${version}`, buildVersion({ version, ...slot }));
  return all.some(({ version, gz }) => facts.get(`gz ${version}`) !== gz) ? 3 : 0;
};

/** A manager's updater follows the site. */
const importSite = (who: 0 | 1) =>
  step('import --url', who, async (world, manager) => {
    const code = imported(world, manager);
    const { folder } = manager;
    const result = await cli(folder, ['import', '--url', world.site.url, '--yes'], {
      now: world.now,
      files: unsynced,
    });
    expect(result).toMatchObject({ code });
  });

/** A withdrawal is undone at once: the data are what they were, to the byte. */
const undo = (who: 0 | 1, branch: string) =>
  step(`yank of ${branch} and undo`, who, async (world, manager) => {
    const version = releasesIn(manager.facts, branch, 'stands').at(-1);
    if (version === undefined) return false;
    const lasting = (): string => {
      const file = join(manager.folder, `branches/${branch}.json`);
      const { updated: _, audit: _audit, ...facts } = JSON.parse(readFileSync(file, 'utf8'));
      return JSON.stringify(facts);
    };
    const before = lasting();
    await run(world, manager, 'yank', version, '--reason', 'a mistake');
    manager.facts.set(`release ${version}`, 'withdrawn');
    await run(world, manager, 'correct', version, '--remove', '/yanked', '--reason', 'a mistake');
    manager.facts.set(`release ${version}`, 'stands');
    expect(lasting()).toBe(before);
  });

/**
 * One pulls from the other. Where both changed a file, the first manager's is kept: an instance serves it, and takes no data back from
 * which a release has gone.
 */
const merge = (who: 0 | 1) =>
  step('merge', who, async (world, manager) => {
    const [one, other] = world.managers;
    const from = manager === one ? other : one;
    for (const { folder } of world.managers) {
      git(folder, 'add', '-A');
      git(folder, 'commit', '-q', '--allow-empty', '-m', 'data');
    }
    git(manager.folder, 'fetch', '-q', from.folder, 'main');
    try {
      git(manager.folder, 'merge', '-q', '--no-edit', 'FETCH_HEAD');
      git(from.folder, 'pull', '-q', '--ff-only', manager.folder, 'main');
      one.facts = new Map(mergedFacts(world.base, manager.facts, from.facts));
    } catch {
      git(manager.folder, 'merge', '--abort');
      git(other.folder, 'fetch', '-q', one.folder, 'main');
      git(other.folder, 'reset', '-q', '--hard', 'FETCH_HEAD');
    }
    other.facts = new Map(one.facts);
    world.base = new Map(one.facts);
    await check(world, from);
  });

const who = fc.constantFrom(0 as const, 1 as const);
const branch = fc.constantFrom(...BRANCHES);
const own = fc.constantFrom(...OWN_BRANCHES);
const index = fc.nat(3);

/** What the managers, their updaters and the site do. */
const STEPS: fc.Arbitrary<Step>[] = [
  fc.tuple(who, own).map((a) => promote(...a)),
  fc.tuple(who, own).map((a) => addCandidate(...a)),
  fc.tuple(who, branch, index).map((a) => yank(...a)),
  fc.tuple(who, branch, index).map((a) => restore(...a)),
  fc.tuple(who, branch).map((a) => correctDigests(...a)),
  fc.tuple(who, index).map((a) => addNews(...a)),
  fc.tuple(who, branch).map((a) => undo(...a)),
  fc.tuple(fc.constantFrom(...FOLLOWED_BRANCHES), fc.boolean()).map((a) => publish(...a)),
  who.map((a) => importSite(a)),
  who.map((a) => merge(a)),
];

/** Plays random steps, each time in a new world. `SEED` repeats those of a failure, `MODEL_RUNS` asks for more. */
export const playSteps = async ({
  runs,
  maxCommands,
}: {
  runs: number;
  maxCommands: number;
}): Promise<void> => {
  const numRuns = Number(process.env['MODEL_RUNS'] || runs);
  await fc.assert(
    fc.asyncProperty(fc.commands(STEPS, { maxCommands, size: 'max' }), async (commands) => {
      const world = await newWorld();
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
      } finally {
        await closeWorld(world);
      }
    }),
    { numRuns },
  );
};
