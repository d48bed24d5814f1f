import { getSystemErrorMessage } from 'node:util';
import {
  completions,
  didYouMean,
  helpText,
  isShell,
  parseFailure,
  SHELLS,
} from '@workspace/shell-completions';
import {
  EditError,
  InvalidDataError,
  UnconfirmedWrite,
  violationText,
  WriteConflict,
} from '@workspace/release-catalogue';
import { addKeyCommand } from './commands/add-key.ts';
import { addNewsCommand } from './commands/add-news.ts';
import { addPreReleaseCommand } from './commands/add-pre-release.ts';
import { announceCommand } from './commands/announce.ts';
import { correctCommand } from './commands/correct.ts';
import { importCommand } from './commands/import.ts';
import { promoteCommand } from './commands/promote.ts';
import { removeSlotCommand } from './commands/remove-slot.ts';
import { retireCommand } from './commands/retire.ts';
import { schemasCommand } from './commands/schemas.ts';
import { type CliContext, type Command, CommandRejected, UsageError } from './terminal.ts';
import { setSupportCommand } from './commands/set-support.ts';
import { tufCommand } from './commands/tuf.ts';
import { validateCommand } from './commands/validate.ts';
import { yankCommand } from './commands/yank.ts';

const COMMANDS: Record<string, Command> = {
  validate: validateCommand,
  import: importCommand,
  'add-pre-release': addPreReleaseCommand,
  promote: promoteCommand,
  yank: yankCommand,
  correct: correctCommand,
  'remove-slot': removeSlotCommand,
  'set-support': setSupportCommand,
  retire: retireCommand,
  'add-news': addNewsCommand,
  'add-key': addKeyCommand,
  announce: announceCommand,
  tuf: tufCommand,
  schemas: schemasCommand,
};

/**
 * Runs one command.
 * @param args as typed, the command first
 * @param more commands beside those of this library
 * @returns the exit code: 0 done, 1 rejected or invalid data, 2 wrong command line. Unless it is 0, nothing was written, or
 *   the last note says what was; `import --url` has more
 */
export const runCli = async (
  args: string[],
  context: CliContext,
  more: Readonly<Record<string, Command>> = {},
): Promise<number> => {
  const { terminal } = context;
  const commands = { ...COMMANDS, ...more };
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === 'help') {
    terminal.out(helpText(overview(commands).join('\n')));
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    terminal.out(context.version);
    return 0;
  }
  if (name === 'completions') {
    const [shell] = rest;
    if (!isShell(shell)) {
      terminal.note(`completions needs one of ${SHELLS.join(', ')}, not "${shell ?? ''}"`);
      return 2;
    }
    terminal.out(completions(shell, commandLine(commands)));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name]! : undefined;
  if (!command) {
    terminal.note(
      `"${name}" is not a command.${didYouMean(name, Object.keys(commands))} \`${PROGRAM} --help\` lists the commands.`,
    );
    return 2;
  }
  if (rest.includes('--help')) {
    terminal.out(helpText(help(command).join('\n')));
    return 0;
  }
  try {
    return await command.run(rest, context);
  } catch (error) {
    return report(error, name, command, context);
  }
};

const report = (error: unknown, name: string, command: Command, { terminal }: CliContext): number => {
  if (error instanceof UsageError || isParseError(error)) {
    const why = error instanceof UsageError ? error.message : parseFailure(error, command.options);
    terminal.note(`${why}\nSee: ${name} --help`);
    return 2;
  }
  if (error instanceof InvalidDataError) {
    error.violations.forEach((violation) => terminal.note(`error: ${violationText(violation)}`));
    terminal.note('Nothing was written.');
    return 1;
  }
  if (error instanceof CommandRejected || error instanceof EditError || error instanceof WriteConflict) {
    terminal.note(`${error.message}\nNothing was written.`);
    return 1;
  }
  if (error instanceof UnconfirmedWrite) {
    terminal.note(error.message);
    return 1;
  }
  const file = fileError(error);
  if (file !== undefined) {
    terminal.note(`${file}\n${command.afterFailure ?? 'Nothing was written.'}`);
    return 1;
  }
  throw error;
};

/** What the operating system calls the reasons that a publisher can do something about. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'not a folder',
  EISDIR: 'it is a folder',
  EIO: 'the disk failed',
};

/** One sentence about a failed system call on a file; undefined for any other error. */
const fileError = (error: unknown): string | undefined => {
  const { code = '', errno, syscall, path = 'a file' } = error as NodeJS.ErrnoException;
  if (syscall === undefined || errno === undefined) return undefined;
  return `Cannot ${syscall} ${path}: ${FILE_ERRORS[code] ?? getSystemErrorMessage(errno)}.`;
};

/** parseArgs throws TypeErrors with codes of this family. */
const isParseError = (error: unknown): error is Error & { code: string } =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('ERR_PARSE_ARGS_');

const PROGRAM = 'release-data';

type Commands = Readonly<Record<string, Command>>;

const commandLine = (commands: Commands) => ({
  program: PROGRAM,
  commands: {
    ...Object.fromEntries(
      Object.entries(commands).map(([name, { options }]) => [name, [...options, 'help']]),
    ),
    completions: [],
  },
  options: ['help', 'version'],
});

const EXIT_CODES =
  'Exit codes: 0 done, 1 rejected or invalid data and nothing was written, 2 wrong command line.';

const help = ({ summary, usage, options, example }: Command): string[] => [
  summary,
  '',
  ...usage.split('\n'),
  ...(options.includes('yes')
    ? [
        '  --dry-run             shows the change and writes nothing',
        '  --yes                 does not ask for confirmation; needed in scripts',
      ]
    : []),
  '  --data <folder>       the data',
  '',
  `Example: ${PROGRAM} ${example}`,
  // A command with codes of its own says so.
  ...(usage.includes('Exit code') ? [] : [EXIT_CODES]),
];

const overview = (commands: Commands): string[] => [
  'Publishes release data. Every change is shown and checked against all rules before it is written.',
  '',
  ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}`),
  '',
  'All commands take --data <folder> (default: the data beside this command, else ./data) and --help; --version prints the version.',
  'Commands that write take --dry-run (show the change, write nothing) and --yes (do not ask for confirmation).',
  `Completions for ${SHELLS.join(', ')}: source <(${PROGRAM} completions bash)`,
  '',
  'Examples:',
  ...['validate', 'import', 'promote'].map((name) => `  ${PROGRAM} ${commands[name]!.example}`),
  '',
  `${EXIT_CODES} \`import --url\` also has 3: a digest differs, and 4: readers are misled if the site is right.`,
];
