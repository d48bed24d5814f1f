import fc from 'fast-check';
import {
  type BranchFile,
  type Catalogue,
  compareVersions,
  loadDataFolder,
  releasesOf,
} from '@workspace/release-catalogue';
import { FIXTURE, type TestService, testService } from './service.ts';

/** 8.2 is in its last days, so that the active list and what is supported differ soon after. */
const INSTANTS = ['2026-11-21T12:00:00Z', '2027-01-10T12:00:00Z', '2031-01-01T00:00:00Z'];

const withdrawn = (catalogue: Catalogue, versions: ReadonlySet<string>): Catalogue => {
  const copy = structuredClone(catalogue);
  for (const release of copy.branches.flatMap(releasesOf)) {
    if (versions.has(release.version)) release.yanked = { date: '2026-08-20', reason: 'eats data' };
  }
  return copy;
};

/** What every endpoint has to say, found without the code under test. */
const newestOf = (branch: BranchFile): string | null =>
  releasesOf(branch)
    .filter(({ yanked }) => !yanked)
    .map(({ version }) => version)
    .sort(compareVersions)
    .at(-1) ?? null;

const highestFirst = (a: string, b: string): number => compareVersions(b, a);

type Json = ReturnType<typeof JSON.parse>;

/** Asks one endpoint after the other which release of each branch is the newest. */
const answersOf = async ({ app, store, set }: TestService, catalogue: Catalogue, instant: string) => {
  store.replace(catalogue, set(instant));
  const body = async (url: string): Promise<string> => (await app.inject(url)).body;
  const json = async (url: string): Promise<Json> => JSON.parse(await body(url));
  const byBranch = <T>(ask: (branch: string) => Promise<T>) =>
    Promise.all(catalogue.branches.map(async ({ branch }) => [branch, await ask(branch)] as const));
  const of = (entries: readonly (readonly [string, Json])[]) =>
    Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));

  const states: Json = await json('/releases/states.php');
  const active: Json = await json('/releases/active.php');
  const feed: Json = await json('/releases/feed.json');
  const atom = await body('/releases/feed.php');
  const front = await body('/releases/');
  const branches: Json[] = (await json('/api/v1/branches')).items;
  const majors: Json = await json('/releases/index.php?json');
  const result = {
    'branches.php': of((await json('/releases/branches.php')).map((b: Json) => [b.branch, b.latest])),
    'api branches': of(branches.map(({ branch, latest }) => [branch, latest])),
    'api branch': of(await byBranch(async (b) => (await json(`/api/v1/branches/${b}`)).item.latest)),
    'api latest': of(
      await byBranch(async (b) => (await json(`/api/v1/releases/latest?branch=${b}`)).item?.version),
    ),
    'api is_latest': of(
      (await json('/api/v1/releases?limit=100')).items
        .filter((release: Json) => release.is_latest)
        .map((release: Json) => [release.branch, release.version]),
    ),
    'api support': of(await byBranch(async (b) => (await json(`/api/v1/support?version=${b}`)).item.latest)),
    'index version': of(
      await byBranch(async (b) => (await json(`/releases/index.php?json&version=${b}`)).version),
    ),
    'index max': of(
      await byBranch(async (b) => {
        const [first] = Object.keys(await json(`/releases/index.php?json&version=${b}&max=1`));
        return first === 'error' ? null : first;
      }),
    ),
    'branch feed': of(
      await byBranch(
        async (b) =>
          /^PHP (.*) released!$/.exec((await json(`/releases/${b}/feed.json`)).items[0]?.title)?.[1],
      ),
    ),
    'branch page': of(
      await byBranch(
        async (b) =>
          /id="downloads">.*?<h3>(?:<a [^>]*>)?PHP ([^<]*)</s.exec(await body(`/releases/${b}/`))?.[1],
      ),
    ),
  };
  const supported = {
    'api is_supported': branches.filter((b) => b.is_supported).map((b) => b.branch),
    'api needs_upgrade': (
      await byBranch(async (b) => (await json(`/api/v1/support?version=${b}`)).item.needs_upgrade)
    )
      .flatMap(([branch, needed]) => (needed ? [] : [branch]))
      .reverse(),
    'feed.json': feed.items
      .flatMap(({ title }: Json) => /^PHP (\d+\.\d+)\.\d+ released!$/.exec(title)?.[1] ?? [])
      .sort(highestFirst),
    'feed.php': [...atom.matchAll(/<php:version>(\d+\.\d+)\./g)]
      .map(([, branch]) => branch!)
      .sort(highestFirst),
    'front page': [
      ...(/id="downloads".*?<\/div><\/section>/s.exec(front)?.[0] ?? '').matchAll(
        /<section class="release" id="v(\d+\.\d+)\./g,
      ),
    ].map(([, branch]) => branch),
    'front page table': [
      ...(/id="supported".*?<\/table>/s.exec(front)?.[0] ?? '').matchAll(/<th scope="row"><a [^>]*>([^<]+)/g),
    ].map(([, branch]) => branch),
  };
  const listed = {
    'branches.php': (await json('/releases/branches.php')).map(({ branch }: Json) => branch),
    'states.php': Object.values(states)
      .flatMap((of: Json) => Object.keys(of))
      .sort((a, b) => compareVersions(b, a)),
    'api state': branches.filter(({ state }) => state !== 'future').map(({ branch }) => branch),
  };
  const endoflife = of((await json('/api/php.json')).map((c: Json) => [c.cycle, c.latest]));
  const product = of(
    (await json('/api/v1/products/php')).result.releases.map((c: Json) => [c.name, c.latest.name]),
  );
  const newest = {
    'api latest': (await json('/api/v1/releases/latest')).item?.version,
    'front page': /The newest release is <a [^>]*>PHP ([^<]*)</.exec(front)?.[1],
    recommended: (await json('/api/v1/support?version=8.4')).item.recommended ?? undefined,
  };
  return { result, supported, listed, endoflife, product, newest, active, majors };
};

describe('whichever releases are withdrawn', () => {
  it('all endpoints agree about the newest release of each branch', async () => {
    const service = await testService();
    const { catalogue: all } = await loadDataFolder(FIXTURE);
    const versions = all.branches.flatMap((branch) => releasesOf(branch).map(({ version }) => version));
    await fc.assert(
      fc.asyncProperty(fc.subarray(versions), fc.constantFrom(...INSTANTS), async (chosen, instant) => {
        const catalogue = withdrawn(all, new Set(chosen));
        const answers = await answersOf(service, catalogue, instant);
        const newest = new Map(catalogue.branches.map((branch) => [branch.branch, newestOf(branch)]));
        const expected = Object.fromEntries([...newest].filter(([, version]) => version !== null));
        for (const [endpoint, found] of Object.entries(answers.result)) {
          expect({ endpoint, found }).toEqual({ endpoint, found: expected });
        }

        const [supported = [], ...others] = Object.values(answers.supported);
        for (const other of others) expect(other).toEqual(supported);
        expect(supported.every((branch: string) => expected[branch] !== undefined)).toBe(true);
        const [listed = [], ...lists] = Object.values(answers.listed);
        for (const other of lists) expect(other).toEqual(listed);
        expect(listed).toEqual([...newest.keys()].filter((branch) => expected[branch]).reverse());

        expect(answers.product).toEqual(answers.endoflife);
        for (const [branch, version] of Object.entries(answers.endoflife)) {
          expect(version).toBe(expected[branch]);
        }
        for (const releases of Object.values<Json>(answers.active)) {
          for (const [branch, { version }] of Object.entries<Json>(releases)) {
            expect([branch, version]).toEqual([branch, expected[branch]]);
          }
        }
        // What is supported is on the active list.
        const isActive = Object.values<Json>(answers.active).flatMap((of) => Object.keys(of));
        expect(isActive).toEqual(expect.arrayContaining([...supported]));

        // A major version's newest release is that of its newest branch.
        const ofMajor = new Map<string, string>();
        for (const [branch, version] of Object.entries(expected))
          ofMajor.set(branch.split('.')[0]!, version!);
        expect(
          Object.fromEntries(Object.entries<Json>(answers.majors).map(([major, r]) => [major, r.version])),
        ).toEqual(Object.fromEntries([...ofMajor].sort(([a], [b]) => Number(a) - Number(b))));
        expect(
          Object.values<Json>(answers.majors)
            .flatMap(({ supported_versions: of }) => of)
            .sort(),
        ).toEqual([...supported].sort());

        expect(answers.newest['api latest']).toBe(
          [...newest.values()].findLast((version) => version !== null) ?? undefined,
        );
        const first = supported[0] && expected[supported[0]];
        expect([answers.newest['front page'], answers.newest.recommended]).toEqual([first, first]);
      }),
      {
        numRuns: 60,
        examples: [
          [[], INSTANTS[0]!],
          [['8.5.9'], INSTANTS[0]!],
          [versions, INSTANTS[0]!],
        ],
      },
    );
  });
});
