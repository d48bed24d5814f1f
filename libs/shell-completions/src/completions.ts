/** The shells that there are completions for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may be typed after a program's name, taken from the tables that its parser and its help are made of. */
export interface CommandLine {
  readonly program: string;
  /** options by command, without dashes; the values of options and arguments are completed as files */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** options that need no command */
  readonly options: readonly string[];
}

/** The script that makes a shell complete a command line. It only names commands and options: it never runs the program. */
export const completions = (shell: Shell, commandLine: CommandLine): string => SCRIPTS[shell](commandLine);

/** Whether there are completions for it. */
export const isShell = (name: string | undefined): name is Shell => SHELLS.some((shell) => shell === name);

const long = (options: readonly string[]): string => options.map((option) => `--${option}`).join(' ');
const functionOf = (program: string): string => `_${program.replaceAll('-', '_')}`;
const first = ({ commands, options }: CommandLine): string =>
  [...Object.keys(commands), long(options)].join(' ');

const SCRIPTS: Readonly<Record<Shell, (commandLine: CommandLine) => string>> = {
  bash: (line) => `# source <(${line.program} completions bash)
${functionOf(line.program)}() {
  local words
  case $COMP_CWORD:\${COMP_WORDS[1]} in
    1:*) words='${first(line)}' ;;
${Object.entries(line.commands)
  .map(([name, options]) => `    *:${name}) words='${long(options)}' ;;`)
  .join('\n')}
    *) words='${long(line.options)}' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F ${functionOf(line.program)} ${line.program}`,

  zsh: (line) => `#compdef ${line.program}
# source <(${line.program} completions zsh)
${functionOf(line.program)}() {
  if (( CURRENT == 2 )); then
    compadd -- ${first(line)}
  else
    case $words[2] in
${Object.entries(line.commands)
  .map(([name, options]) => `      ${name}) compadd -- ${long(options)} ;;`)
  .join('\n')}
      *) compadd -- ${long(line.options)} ;;
    esac
  fi
  _files
}
compdef ${functionOf(line.program)} ${line.program}`,

  fish: ({ program, commands, options }) =>
    [
      `# ${program} completions fish | source`,
      ...options.map((option) => `complete -c ${program} -n __fish_use_subcommand -l ${option}`),
      ...Object.entries(commands).flatMap(([name, ofCommand]) => [
        `complete -c ${program} -n __fish_use_subcommand -a ${name}`,
        ...ofCommand.map(
          (option) => `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${option}`,
        ),
      ]),
    ].join('\n'),
};
