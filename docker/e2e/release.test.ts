import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

/** The commands CONTRIBUTING.md releases by. */
const commands = /^```sh\n([\s\S]*?)^```$/m.exec(
  readFileSync(join(workspaceRoot, '.github/CONTRIBUTING.md'), 'utf8'),
)?.[1];

describe('a release, in a clone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const clone = join(folder, 'clone');
  const remote = join(folder, 'remote.git');
  const person = { NAME: 'Release Test', EMAIL: 'release@example.com' };
  const env = {
    ...process.env,
    NX_DAEMON: 'false',
    ...Object.fromEntries(
      Object.entries(person).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    ),
  };
  const run = (command: string, args: string[], cwd = clone) =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const tags = () => run('git', ['tag'], remote).split('\n').filter(Boolean);
  const change = (app: string, subject: string) => {
    appendFileSync(join(clone, 'apps', app, 'src/main.ts'), '\n');
    run('git', ['commit', '-qam', subject]);
  };

  beforeAll(() => {
    run('git', ['clone', '-q', '--bare', workspaceRoot, remote], folder);
    for (const tag of tags()) run('git', ['tag', '-d', tag], remote);
    run('git', ['clone', '-q', remote, clone], folder);
    symlinkSync(join(workspaceRoot, 'node_modules'), join(clone, 'node_modules'));
    appendFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives each app its own first version, changelog and tag', () => {
    run('sh', ['-euc', String(commands)]);
    const made = tags();
    expect(made.map((tag) => tag.replace(/@\d+\.\d+\.\d+$/, ''))).toEqual([
      'ip-locate',
      'ops-intake',
      'release-web',
    ]);
    for (const tag of made) {
      const [app, version] = tag.split('@') as [string, string];
      expect(readFileSync(join(clone, 'apps', app, 'package.json'), 'utf8')).toContain(
        `"version": "${version}"`,
      );
      expect(readFileSync(join(clone, 'apps', app, 'CHANGELOG.md'), 'utf8')).toMatch(
        new RegExp(`^## ${version.replaceAll('.', '\\.')} `),
      );
    }
  });

  it('releases only what has changed since', () => {
    const before = tags();
    change('ip-locate', 'fix(ip-locate): what was wrong');
    run('sh', ['-euc', String(commands)]);
    const made = tags().filter((tag) => !before.includes(tag));
    expect(made).toEqual([expect.stringMatching(/^ip-locate@/)]);
    const changelog = readFileSync(join(clone, 'apps/ip-locate/CHANGELOG.md'), 'utf8');
    expect(changelog.split('\n## ')[0]).toContain('what was wrong');
    // The changelog of the workspace is written by hand.
    expect(run('git', ['log', '-1', '--format=', '--name-only']).split('\n')).not.toContain('CHANGELOG.md');
  });
});
