import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

describe('the address of the sources in an image’s label', () => {
  const clone = mkdtempSync(join(tmpdir(), 'clone-'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone });
  beforeAll(() => void git('init', '-q'));
  afterAll(() => rmSync(clone, { recursive: true }));

  const label = (env: Record<string, string> = {}) =>
    execFileSync('sh', [resolve('images/source-url.sh')], {
      cwd: clone,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    }).trim();

  it('is unknown without a remote', () => {
    expect(label()).toBe('unknown');
  });

  it.each([
    ['https://git.example/owner/repo', 'https://git.example/owner/repo'],
    ['https://user:secret@git.example/owner/repo.git', 'https://git.example/owner/repo.git'],
    ['ssh://git@git.example:22/owner/repo', 'ssh://git.example:22/owner/repo'],
    ['git@git.example:owner/repo.git', 'git@git.example:owner/repo.git'],
    ['/home/somebody/repo', 'unknown'],
  ])('of the remote %s is %s', (remote, expected) => {
    git('config', 'remote.origin.url', remote);
    expect(label()).toBe(expected);
  });

  it('is what the environment says, if it says something', () => {
    expect(label({ SOURCE: 'https://git.example/other' })).toBe('https://git.example/other');
  });
});
