import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

const SERVICES = ['release-web', 'ops-intake', 'ip-locate'];
const folder = mkdtempSync(join(tmpdir(), 'release-'));
afterAll(() => rmSync(folder, { recursive: true }));
const origin = join(folder, 'origin.git');
const clone = join(folder, 'clone');

const run = (cwd: string, command: string, ...args: string[]): string => {
  const who = { GIT_AUTHOR_NAME: 'Maintainer', GIT_AUTHOR_EMAIL: 'maintainer@example.com' };
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    env: {
      ...process.env,
      ...who,
      GIT_COMMITTER_NAME: who.GIT_AUTHOR_NAME,
      GIT_COMMITTER_EMAIL: who.GIT_AUTHOR_EMAIL,
      NX_DAEMON: 'false',
      CI: 'true',
    },
  }).trim();
};
const git = (...args: string[]) => run(clone, 'git', ...args);
const read = (file: string) => readFileSync(join(clone, file), 'utf8');

/** The commands of the page, step by step, for another version than that of its example. */
const steps = (version: string): string[] =>
  [...read('docker/docs/releases.md').matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands]) =>
    commands!.replace(/^ *VERSION=.*$/m, '').replace(/^/, `VERSION=${version}\n`),
  );
const follow = (commands: string): string => run(clone, 'bash', '-euo', 'pipefail', '-c', commands);
const tagsOf = (remote: string): string[] => run(remote, 'git', 'tag', '--list').split('\n');
const versionsIn = (file: string): string[] => [...read(file).matchAll(/\b9\d\.\d+\.\d+\b/g)].map(String);

/** Makes the section of what is not released as short as a maintainer has to. */
const shortenUnreleased = (): void => {
  const short = `## [Unreleased]\n\n### Not compatible\n\nNothing.\n\n### Fixed\n\n- A request that ended while its connection was closed was answered twice. Now it is answered once.\n\n`;
  writeFileSync(
    join(clone, 'CHANGELOG.md'),
    read('CHANGELOG.md').replace(/^## \[Unreleased\]\n[\s\S]*?(?=^## \[\d)/m, short),
  );
  git('commit', '--quiet', '--all', '--message', 'docs: shorten the changelog');
};

// Each release works on what the one before has left. A clone with a remote of its own: nothing leaves the machine.
describe('the steps to a release', () => {
  beforeAll(() => {
    run(folder, 'git', 'clone', '--quiet', '--bare', workspaceRoot, origin);
    run(origin, 'git', 'branch', '--force', 'main', 'HEAD');
    run(origin, 'git', 'symbolic-ref', 'HEAD', 'refs/heads/main');
    for (const tag of tagsOf(origin).filter(Boolean)) run(origin, 'git', 'tag', '--delete', tag);
    run(folder, 'git', 'clone', '--quiet', origin, clone);
    symlinkSync(join(workspaceRoot, 'node_modules'), join(clone, 'node_modules'));
    git('config', 'core.excludesFile', join(folder, 'ignored'));
    writeFileSync(join(folder, 'ignored'), 'node_modules\n');
  });

  it.each(['94.0.0', '94.1.0'])('make %s', (version) => {
    shortenUnreleased();
    const today = () => new Date().toISOString().slice(0, 10);
    const began = today();
    for (const commands of steps(version)) follow(commands);
    // At midnight, either day is right.
    const days = [began, today()];

    expect(tagsOf(origin).filter((tag) => tag.endsWith(`@${version}`))).toEqual(
      ['chart', ...SERVICES].map((name) => `${name}@${version}`).sort(),
    );
    expect(run(origin, 'git', 'rev-parse', `chart@${version}^{commit}`, 'main')).toMatch(/^(\w+)\n\1$/);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '-1', '--format=%s')).toBe('chore(release): raise versions');
    // What images.yml and chart.yml read of the tag, and what publish and publish-chart compare with it.
    for (const service of SERVICES) expect(versionsIn(`apps/${service}/package.json`)).toEqual([version]);
    expect(new Set(versionsIn('docker/helm/three-services/Chart.yaml'))).toEqual(new Set([version]));
    expect(new Set(versionsIn('docker/helm/three-services/values.yaml'))).toEqual(new Set([version]));
    expect(new Set(versionsIn('README.md'))).toEqual(new Set([version]));

    const [heading, day] =
      /\n## \[Unreleased\]\n\n### Not compatible\n\nNothing.\n\n## \[(\S+)\] - (\S+)\n/
        .exec(read('CHANGELOG.md'))
        ?.slice(1) ?? [];
    expect(heading).toBe(version);
    expect(days).toContain(day);
    expect(JSON.parse(read(`docker/release/interfaces/${version}.json`))).toHaveProperty('settings');
    // One changelog, and the unit tests that read it and the record.
    expect(git('ls-files', '*CHANGELOG*')).toBe('CHANGELOG.md');
    run(join(clone, 'docker'), 'npx', 'jest', 'test/compatibility', 'test/versions');
  });

  it('leave a version to roll back to, which the upgrade test takes', () => {
    const [, words] = /await git\(('describe', .+?)\)\.catch/.exec(read('docker/e2e/upgrade.ts'))!;
    const args = [...words!.matchAll(/'([^']+)'/g)].map(([, word]) => word!);
    expect(git(...args)).toBe('ops-intake@94.0.0');
    git('commit', '--quiet', '--allow-empty', '--message', 'fix: a fault');
    expect(git(...args)).toBe('ops-intake@94.1.0');
  });

  it.each([
    ['that is not newer', () => undefined, '94.1.0', '94.1.0 is not newer than 94.1.0'],
    ['older than the last', () => undefined, '9.2.0', '9.2.0 is not newer than 94.1.0'],
    [
      'whose changes nobody can read',
      () => {
        writeFileSync(
          join(clone, 'CHANGELOG.md'),
          read('CHANGELOG.md').replace('\nNothing.\n', 'word '.repeat(600)),
        );
        git('commit', '--quiet', '--all', '--message', 'docs: a long changelog');
      },
      '95.0.0',
      '[Unreleased] in CHANGELOG.md has 605 words: shorten it to 500',
    ],
    [
      'beside other changes',
      () => writeFileSync(join(clone, 'README.md'), ''),
      '95.0.0',
      'there are uncommitted changes',
    ],
  ])('do not begin for a version %s', (_title, change, version, message) => {
    change();
    expect(() => follow(`docker/release/prepare ${version}`)).toThrow(message);
  });
});
