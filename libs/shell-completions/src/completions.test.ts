import { execFileSync, spawnSync } from 'node:child_process';
import { completions, isShell, type Shell } from './completions.ts';

const LINE = {
  program: 'a-tool',
  commands: { build: ['output', 'quiet'], publish: ['yes'] },
  options: ['help', 'version'],
};

/** What bash offers when Tab is pressed after these words. */
const offered = (...words: string[]): string[] =>
  execFileSync(
    'bash',
    [
      '-c',
      `${completions('bash', LINE)}
       COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _a_tool; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ],
    { encoding: 'utf8' },
  )
    .split('\n')
    .filter(Boolean);

describe('completions', () => {
  it('offer commands and the options that need none first, in bash', () => {
    expect(offered('a-tool', '')).toEqual(['build', 'publish', '--help', '--version']);
    expect(offered('a-tool', 'p')).toEqual(['publish']);
  });

  it('offer the options of the command, in bash', () => {
    expect(offered('a-tool', 'build', '--')).toEqual(['--output', '--quiet']);
    expect(offered('a-tool', 'publish', '--')).toEqual(['--yes']);
    expect(offered('a-tool', 'other', '--')).toEqual(['--help', '--version']);
  });

  it('offer files where nothing else fits, in bash', () =>
    expect(completions('bash', LINE)).toMatch(/^complete -o default -F _a_tool a-tool$/m));

  // Neither shell comes with Debian: where one is installed, it judges the script, too.
  it.each([
    ['zsh', ['compadd -- build publish --help --version', 'build) compadd -- --output --quiet ;;', '_files']],
    [
      'fish',
      [
        'complete -c a-tool -n __fish_use_subcommand -a publish',
        "complete -c a-tool -n '__fish_seen_subcommand_from build' -l quiet",
      ],
    ],
  ] as [Shell, string[]][])('name all of it, in %s', (shell, lines) => {
    const script = completions(shell, LINE);
    for (const line of lines) expect(script.split('\n').map((text) => text.trim())).toContain(line);
    const { error, status } = spawnSync(shell, ['-n', '-c', script]);
    if (!error) expect(status).toBe(0);
  });

  it('offer the options of the command, in fish', () => {
    const script = `${completions('fish', LINE)}\ncomplete -C 'a-tool build --'`;
    const { error, stdout } = spawnSync('fish', ['-c', script], { encoding: 'utf8' });
    if (error) console.log('not run: fish is not installed');
    else expect(stdout.trim().split('\n')).toEqual(['--output', '--quiet']);
  });

  it('are there for three shells', () => {
    expect(['bash', 'zsh', 'fish', 'csh', undefined].map(isShell)).toEqual([true, true, true, false, false]);
  });
});
