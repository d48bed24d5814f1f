import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  branchOf,
  buildVersion,
  checkCatalogue,
  currentTable,
  dataFileText,
  historyTable,
  isoDate,
  loadDataFolder,
  parseDateText,
  releasesOf,
  shapedCatalogue,
} from '@workspace/release-catalogue';
import { branchesOfTables, DataCopy, type PhpTables } from '@workspace/release-catalogue/testing';
import {
  type BuiltService,
  createFakeClock,
  describeWith,
  eventually,
  type FakeClock,
  startBuiltService,
} from '@workspace/testing';
import {
  AFTER_MS,
  applyEvent,
  clockAnswers,
  digestsOf,
  feedEntries,
  phpNetAnswers,
  type PhpNetAnswers,
  type PhpNetEvent,
  phpNetHistory,
  tablesAtStart,
  tagsOf,
} from '../test/php-net-history.ts';
import { type PhpSite, startPhpSite } from '../test/php-site.ts';
import { type CliRun, cli, unsynced } from '../test/run-cli.ts';

const START = new Date('2025-09-02');

const INDEX = '/releases/index.php?json&max=-1&version=8';
const BUILDS = '/pre-release-builds.php?format=json';
type Slots = Record<string, { release?: { number?: number; version?: string; files?: object } }>;

/** php.net's site, data that begin as its tables did, and the built service, whose clock is that of the history. */
class World {
  readonly data = new DataCopy();
  readonly tables: PhpTables = tablesAtStart(this.data);
  site!: PhpSite;
  service!: BuiltService;
  #clock!: FakeClock;
  now = START;

  /** @param managers the release managers that product.json names, by branch */
  async open(managers: Readonly<Record<string, readonly string[]>>): Promise<void> {
    const { data, tables } = this;
    this.site = await startPhpSite(() => tables);
    rmSync(join(data.folder, 'branches'), { recursive: true });
    mkdirSync(join(data.folder, 'branches'));
    for (const branch of branchesOfTables(tables))
      data.write(`branches/${branch.branch}.json`, dataFileText(branch));
    data.write('accepted-findings.json', JSON.stringify({ accepted: [] }));
    const product = data.json('product.json');
    product.updated = '2025-09-01T00:00:00Z';
    product.downloads.managers = managers;
    data.write('product.json', JSON.stringify(product));
    data.write('news.json', JSON.stringify({ updated: '2025-09-01T00:00:00Z', items: [] }));
    // As php.net has it: what breaks a rule today stays on record.
    const found = checkCatalogue(shapedCatalogue(new Map(Object.entries(data.texts()))))
      .filter(({ severity }) => severity === 'error')
      .map(({ rule, subject }) => ({ rule, reason: 'as php.net has it', subjects: [subject] }));
    data.write('accepted-findings.json', JSON.stringify({ accepted: found }));
    this.#clock = createFakeClock(join(data.root, 'clock'), this.now);
    this.service = await startBuiltService('release-web', {
      ...this.#clock.env,
      DATA_DIR: data.folder,
      PRE_RELEASE_SHAPE: 'keyed',
      FILE_POLL_MS: '50',
    });
  }

  async close(): Promise<void> {
    // Unless it could not be opened.
    await (this.service as BuiltService | undefined)?.stop();
    await (this.site as PhpSite | undefined)?.close();
    this.data.remove();
  }

  /** Sets the clock of the service and of the commands. */
  setClock(now: Date): void {
    this.now = now;
    this.#clock.set(now);
  }

  run(...args: string[]): Promise<CliRun> {
    return cli(this.data.folder, [...args, '--yes'], { now: this.now, files: unsynced });
  }

  manifest(version: string, digests = digestsOf(version)): string {
    return this.data.manifest(version, digests);
  }

  /** Plays the history. @param change follows one change of php.net's tables; resolves with what php.net does not have yet */
  async play(
    change: (events: readonly PhpNetEvent[], at: Date) => Promise<{ ahead: boolean }>,
  ): Promise<void> {
    const steps = new Map(phpNetHistory().map((step) => [step.at.getTime() + AFTER_MS, step]));
    let played = 0;
    let ahead = false;
    for (const answers of phpNetAnswers()) {
      this.setClock(answers.at);
      const step = steps.get(answers.at.getTime());
      if (step) {
        played += 1;
        step.events.forEach((event) => applyEvent(this.tables, event, step.at));
        ({ ahead } = await change(step.events, step.at));
      }
      await this.expectSame(answers, ahead ? [INDEX] : [INDEX, BUILDS]);
    }
    expect(played).toBe(steps.size);
  }

  /** Waits until every path answers as php.net did. */
  async expectSame(answers: PhpNetAnswers, paths = [INDEX, BUILDS]): Promise<void> {
    for (const path of paths)
      await this.#same(
        answers.at,
        path,
        () => this.#get(this.site.url, path),
        () => this.#get(this.service.url, path),
      );
    for (const [path, value] of Object.entries(clockAnswers(this.tables, answers)))
      await this.#same(
        answers.at,
        path,
        () => value,
        () => this.#clockAnswer(path),
      );
  }

  /** As text, since the order of members is php.net's, too. */
  async #same(at: Date, path: string, there: () => unknown, here: () => Promise<unknown>): Promise<void> {
    const expected = JSON.stringify(await there());
    let found = '';
    await eventually(
      `answer of php.net's to ${path}`,
      async () => (found = JSON.stringify(await here())) === expected,
      10_000,
    ).catch(() => expect({ at, path, found }).toEqual({ at, path, found: expected }));
  }

  async #clockAnswer(path: string): Promise<unknown> {
    const get = (target: string) => fetch(`${this.service.url}${target}`);
    if (path === '/releases/feed.php') return feedEntries(await (await get(path)).text());
    if (path !== 'supported_versions') return (await get(path)).json();
    const index = (await (await get('/releases/index.php?json')).json()) as Record<
      string,
      { [path]: unknown }
    >;
    return index['8']![path];
  }

  async #get(origin: string, path: string): Promise<unknown> {
    const answer = (await (await fetch(`${origin}${path}`)).json()) as object;
    if (path === INDEX) return Object.entries(answer);
    // php.net keeps a slot for a while after its release. What its page derives from the table is left out here.
    const released = this.published();
    return Object.entries(answer as Slots)
      .filter(([version, { release }]) => (release?.number ?? 0) > 0 && !released.includes(version))
      .map(([version, { release: { version: _, files: _files, ...release } = {} }]) => [version, release])
      .sort();
  }

  published(): string[] {
    return Object.keys({ ...this.tables.current['8'], ...this.tables.old['8'] }).sort();
  }

  async catalogue() {
    return (await loadDataFolder(this.data.folder)).catalogue;
  }
}

describeWith(['faketime'], "php.net's history since September 2025", () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  afterEach(() => world.close());

  it('import --url takes over every release at once, and names what it cannot take over', async () => {
    // Each branch has another manager, too, of whom the data do not know.
    await world.open({ '8.4': ['calvinb'], '8.5': ['daniels'], '8.6': ['svpernova09'] });
    const rejected: string[] = [];
    await world.play(async (events, at) => {
      const { code, notes } = await world.run('import', '--url', world.site.url);
      const named = notes.match(/^.* was not taken over\.$/gm) ?? [];
      rejected.push(...named);
      expect({ at, notes, code, isNamed: named.length > 0 }).toMatchObject({ code: Math.sign(named.length) });
      const releases = (await world.catalogue()).branches.flatMap(releasesOf);
      expect({ at, releases: releases.map(({ version }) => version).sort() }).toEqual({
        at,
        releases: world.published(),
      });
      for (const event of events.filter(([what]) => what === 'retire'))
        expect(await world.run(...event)).toMatchObject({ code: 0 });
      return { ahead: code !== 0 };
    });
    // Two were in folders of no release manager. The branch 8.6 was to be opened by hand.
    expect([...new Set(rejected)].sort()).toEqual(
      ['8.3.27RC1', '8.4.23RC1', '8.6.0alpha1', '8.6.0alpha3', '8.6.0beta1'].map(
        (build) => `${build} was not taken over.`,
      ),
    );
    const catalogue = await world.catalogue();
    const ours = (table: typeof currentTable) =>
      table(catalogue, 8).map(({ release }) => [release.version, release.published]);
    expect(ours(currentTable)).toEqual(Object.entries(world.tables.current['8']!));
    expect(ours(historyTable)).toEqual(Object.entries(world.tables.old['8']!));
    const builds = catalogue.branches.flatMap(({ pre_releases }) => pre_releases);
    expect(builds.filter(({ release }) => release.number > 0).map(({ version }) => version)).toEqual(
      Object.entries(world.tables.qa)
        .filter(([version, { release }]) => release.number > 0 && branchOf(version) !== '8.6')
        .map(([version]) => version),
    );
  });

  it('the commands publish it, with mistakes that are rejected or undone on the way', async () => {
    const managers = {
      '8.3': ['eric', 'jakub'],
      '8.4': ['calvinb', 'saki'],
      '8.5': ['daniels', 'edorian'],
      '8.6': ['mbeccati', 'svpernova09'],
    };
    await world.open(managers);
    const expectDone = async (...args: string[]) =>
      expect({ args, ...(await world.run(...args)) }).toMatchObject({ args, code: 0 });
    const expectRejected = async (reason: string, ...args: string[]) =>
      expect({ args, ...(await world.run(...args)) }).toMatchObject({
        args,
        code: 1,
        notes: expect.stringContaining(reason),
      });
    const slotOf = async (version: string) =>
      (await world.catalogue()).branches
        .flatMap(({ pre_releases }) => pre_releases)
        .find((slot) => slot.version === version);

    let releases = 0;
    /** What goes wrong on the day of a release and is repaired, in turns; and news. */
    const mistakes = [
      async (version: string) => {
        await expectDone('yank', version, '--reason', 'withdrawn by mistake');
        await expectDone('correct', version, '--remove', '/yanked', '--reason', 'it was a mistake');
      },
      async (version: string) => {
        const other = world.manifest(version, digestsOf(`${version} of another build`));
        await expectDone('correct', version, '--manifest', other, '--reason', 'packed again');
        const right = world.manifest(version);
        await expectDone('correct', version, '--manifest', right, '--reason', 'the first were right');
      },
      async (version: string) => {
        const news = ['--link', `https://www.php.net/news#${version}`, '--summary', 'It is ready.'];
        await expectDone('add-news', `PHP ${version}`, ...news);
        await expectRejected('There is a news item with the id', 'add-news', `PHP ${version}`, ...news);
      },
    ];
    const release = async (version: string, rest: readonly string[]): Promise<void> => {
      const [day = ''] = rest;
      const tags = tagsOf(rest);
      const kind = tags.includes('security') ? 'security' : 'bugfix';
      const date = parseDateText(day.replaceAll('-', ' '))!;
      const now = world.now;
      // A feed has the day of a correction. And php.net's site was a branch of its own for some days in July 2026.
      world.now = new Date(Math.min(now.getTime(), date.getTime() + 20 * 3_600_000));
      const list = world.manifest(version);
      const promote = ['promote', version, '--date', isoDate(date), '--manifest', list, '--kind', kind];
      // php.net's answers do not say which.
      if (kind === 'security') promote.push('--fixes', 'CVE-2025-0000');
      await expectDone(...promote);
      await expectRejected('is released already', ...promote);
      if (tags.includes(''))
        await expectDone(
          'correct',
          version,
          '--set',
          '/published/tags=[""]',
          '--reason',
          'as php.net has it',
        );
      await mistakes[releases % mistakes.length]!(version);
      releases += 1;
      world.now = now;
    };

    /** @returns whether php.net has another folder than ours, which has the right one */
    const slot = async (
      version: string,
      [type = '', number, folder = '']: readonly string[],
      at: Date,
    ): Promise<boolean> => {
      const name = `${version}${type}${number}`;
      const before = await slotOf(version);
      if (number === '0') {
        // What is left is the slot of a release, which promote has cleared.
        expect(before).toBeUndefined();
        return false;
      }
      const manager = /^~(\w+)\/$/.exec(folder)?.[1];
      const add = ['add-pre-release', name, '--date', isoDate(at), '--manifest', world.manifest(name)];
      if (before && buildVersion(before) === name) {
        await expectRejected('is published already', ...add, '--manager', manager!);
        return false;
      }
      const isNewBranch = (await world.catalogue()).branches.every(
        ({ branch }) => branch !== branchOf(version),
      );
      if (isNewBranch) await expectRejected('There is no branch', ...add, '--manager', manager!);
      await expectDone(
        ...add,
        ...['--manager', manager ?? managers[branchOf(version) as keyof typeof managers][0]!],
        ...['--reason', 'numbers between were not published'],
        ...(isNewBranch ? ['--new-branch'] : []),
      );
      if (manager !== undefined) return false;
      const wrong = `/baseurl="https://downloads.php.net/${folder}"`;
      await expectRejected(
        '[build-folder]',
        'correct',
        name,
        '--set',
        wrong,
        '--reason',
        'as php.net has it',
      );
      return true;
    };

    await world.play(async (events, at) => {
      let ahead = false;
      for (const [what, version, ...rest] of events) {
        if (what === 'release') await release(version, rest);
        else if (what === 'slot') ahead = (await slot(version, rest, at)) || ahead;
        else if (what === 'retire') await expectDone('retire', version);
        else expect([undefined, 0]).toContain((await slotOf(version))?.release.number);
      }
      return { ahead };
    });
    expect(releases).toBeGreaterThan(20);
    // Nothing is left for who follows the site.
    expect(await world.run('import', '--url', world.site.url)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^0 new/m),
    });
  });
});
