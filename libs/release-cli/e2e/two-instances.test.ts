import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { branchOf } from '@workspace/release-catalogue';
import {
  builtFile,
  createFakeClock,
  describeWith,
  eventually,
  type FakeClock,
  startBuiltService,
} from '@workspace/testing';
import { feedEntries } from '../test/php-net-history.ts';
import {
  imported,
  type Manager,
  newestStanding,
  playSteps,
  promotion,
  type Step,
  step,
  STEPS,
  type World,
} from '../test/two-managers.ts';

/** The newest release of each supported branch, as one endpoint has it. */
type Newest = Record<string, string>;
type Releases = Record<string, Record<string, { version: string }>>;

/** Every endpoint that names the newest release of a branch. */
const ENDPOINTS: Record<string, (body: string, branches: readonly string[]) => Newest> = {
  '/releases/branches.php': (body, branches) =>
    Object.fromEntries(
      (JSON.parse(body) as { branch: string; latest: string }[])
        .filter(({ branch }) => branches.includes(branch))
        .map(({ branch, latest }) => [branch, latest]),
    ),
  '/releases/active.php': (body) =>
    Object.fromEntries(
      Object.values(JSON.parse(body) as Releases).flatMap((of) =>
        Object.entries(of).map(([branch, { version }]) => [branch, version]),
      ),
    ),
  '/releases/feed.php': (body) =>
    Object.fromEntries(feedEntries(body).map(([version]) => [branchOf(version), version])),
  '/releases/feed.json': (body) =>
    Object.fromEntries(
      (JSON.parse(body) as { items: { _php?: { version: string }; title: string }[] }).items.flatMap(
        ({ title }) => {
          const version = /^PHP (\d+\.\d+\.\d+) released/.exec(title)?.[1];
          return version === undefined ? [] : [[branchOf(version), version]];
        },
      ),
    ),
  '/releases/index.php?json&version=8&max=-1': (body, branches) => {
    const newest: Newest = {};
    for (const version of Object.keys(JSON.parse(body) as object))
      if (branches.includes(branchOf(version))) newest[branchOf(version)] ??= version;
    return newest;
  },
  '/api/php.json': (body, branches) =>
    Object.fromEntries(
      (JSON.parse(body) as { cycle: string; latest: string }[])
        .filter(({ cycle }) => branches.includes(cycle))
        .map(({ cycle, latest }) => [cycle, latest]),
    ),
};

/** Two instances of the built service on the data folder of the first manager, and the clock of both and of commands. */
class Instances {
  #clock!: FakeClock;
  #services: Awaited<ReturnType<typeof startBuiltService>>[] = [];

  async open(world: World): Promise<this> {
    this.#clock = createFakeClock(join(world.data.root, 'clock'), world.now);
    const start = () =>
      startBuiltService('release-web', {
        ...this.#clock.env,
        DATA_DIR: world.managers[0].folder,
        PRE_RELEASE_SHAPE: 'keyed',
        FILE_POLL_MS: '50',
      });
    this.#services = await Promise.all([start(), start()]);
    return this;
  }

  close = async (): Promise<void> => {
    await Promise.all(this.#services.map((service) => service.stop()));
  };

  /** All endpoints of both name the newest releases that the first manager has published. */
  observe = async (world: World): Promise<void> => {
    this.#clock.set(world.now);
    const expected = newestStanding(world.managers[0]);
    const branches = Object.keys(expected);
    for (const [path, newestOf] of Object.entries(ENDPOINTS)) {
      let found: unknown;
      await eventually(
        `${path} of both instances`,
        async () => {
          const answers = await Promise.all(this.#services.map(({ url }) => fetch(`${url}${path}`)));
          const bodies = await Promise.all(answers.map((answer) => answer.text()));
          found = [
            answers.map(({ headers }) => headers.get('etag')),
            ...bodies.map((body) => newestOf(body, branches)),
          ];
          const [[one, other], ...newest] = found as [string[], ...Newest[]];
          return one === other && newest.every((of) => isSame(of, expected));
        },
        10_000,
      ).catch(() => expect({ [path]: found }).toEqual({ [path]: [[], expected, expected] }));
    }
  };

  /** Runs the shipped command as a process of its own. */
  run = async (manager: Manager, ...args: string[]): Promise<{ code: number | null; notes: string }> => {
    const command = [builtFile('release-web', 'release-data.js'), ...args, '--yes', '--data', manager.folder];
    const child = spawn(process.execPath, command, {
      env: { PATH: process.env['PATH'], ...this.#clock.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [notes, [code]] = await Promise.all([
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return { code, notes };
  };

  setClock(now: Date): void {
    this.#clock.set(now);
  }
}

const isSame = (one: Newest, other: Newest): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

const CONFLICT = /is writing|changed meanwhile/;

describeWith(['faketime'], 'two instances, two updaters and a manager on one data folder', () => {
  it('name the same newest releases at every path, after every step', async () => {
    let instances: Instances;
    /** Both updaters and the manager at once: each is done, or says that another was writing, and nothing is lost. */
    const concurrently = (branch: string): Step =>
      step(`two updaters and promote ${branch} at once`, 0, async (world, manager) => {
        world.now = new Date(world.now.getTime() + 86_400_000);
        instances.setClock(world.now);
        const { args, done } = promotion(world, manager, branch);
        const follow = ['import', '--url', world.site.url];
        const runs = await Promise.all([follow, follow, args].map((of) => instances.run(manager, ...of)));
        const expected = imported(world, manager);
        for (const { code, notes } of runs) {
          if (code === 1) expect(notes).toMatch(CONFLICT);
          else expect([0, expected]).toContain(code);
        }
        if (runs[2]!.code === 0) done();
        expect(await instances.run(manager, ...follow)).toMatchObject({ code: expected });
      });
    const steps = [...STEPS, fc.constantFrom('8.4', '8.5').map(concurrently)];
    await playSteps({ runs: 2, maxCommands: 10 }, steps, async (world) => {
      instances = await new Instances().open(world);
      return instances;
    });
  });
});
