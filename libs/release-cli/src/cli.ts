import { EditError, InvalidDataError, violationText, WriteConflict } from '@workspace/release-catalogue';
import { addPreReleaseCommand } from './commands/add-pre-release.ts';
import { correctCommand } from './commands/correct.ts';
import { importCommand } from './commands/import.ts';
import { ImportRejected } from './import/php-tables.ts';
import { promoteCommand } from './commands/promote.ts';
import { retireCommand } from './commands/retire.ts';
import { schemasCommand } from './commands/schemas.ts';
import { type CliContext, type Command, CommandRejected, UsageError } from './terminal.ts';
import { validateCommand } from './commands/validate.ts';
import { yankCommand } from './commands/yank.ts';

const COMMANDS: Record<string, Command> = {
  validate: validateCommand,
  import: importCommand,
  'add-pre-release': addPreReleaseCommand,
  promote: promoteCommand,
  yank: yankCommand,
  correct: correctCommand,
  retire: retireCommand,
  schemas: schemasCommand,
};

/**
 * Runs one command.
 * @param args as typed, the command first
 * @returns the exit code: 0 done, 1 refused or faulty data, 2 wrong command line. A problem has written nothing.
 */
export const runCli = async (args: string[], context: CliContext): Promise<number> => {
  const { terminal } = context;
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === 'help') {
    overview().forEach(terminal.out);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') {
    terminal.out(context.version);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : undefined;
  if (!command) {
    terminal.note(`unknown command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}`);
    return 2;
  }
  if (rest.includes('--help')) {
    [command.summary, '', ...command.usage.split('\n')].forEach(terminal.out);
    return 0;
  }
  try {
    return await command.run(rest, context);
  } catch (error) {
    return refuse(error, name, context);
  }
};

const refuse = (error: unknown, name: string, { terminal }: CliContext): number => {
  if (error instanceof UsageError || isParseError(error)) {
    terminal.note(`${error.message}\nSee: ${name} --help`);
    return 2;
  }
  if (error instanceof InvalidDataError) {
    error.violations.forEach((violation) => terminal.note(`error: ${violationText(violation)}`));
    terminal.note('Refused; nothing was written.');
    return 1;
  }
  if (
    error instanceof CommandRejected ||
    error instanceof EditError ||
    error instanceof WriteConflict ||
    error instanceof ImportRejected
  ) {
    terminal.note(`${error.message}\nRefused; nothing was written.`);
    return 1;
  }
  throw error;
};

/** parseArgs throws TypeErrors with codes of this family. */
const isParseError = (error: unknown): error is Error & { code: string } =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  typeof error.code === 'string' &&
  error.code.startsWith('ERR_PARSE_ARGS_');

const overview = (): string[] => [
  'Publishes the data of release-web. Every write is shown first and passes all rules before it happens.',
  '',
  ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}`),
  '',
  'For all: --data <folder> (default: the data of this project), --help.',
  'For those that write: --dry-run shows and writes nothing; --yes does not ask.',
];
