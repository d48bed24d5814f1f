import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UnusableFiles } from '@workspace/service-process';
import { type CommandLine, completions, isShell, parseFailure, SHELLS } from '@workspace/shell-completions';

/** Where a command talks to a person or a script. */
export interface Terminal {
  /** Writes a line of the result, or of the help; rejects when it cannot be written. */
  readonly out: (line: string) => Promise<void>;
  /** a line about progress or an error */
  readonly note: (line: string) => void;
  /** a line that replaces the one before; '' erases it. Absent without a terminal. */
  readonly progress?: (text: string) => void;
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The choice that an argument names. @throws UsageError when there is no such choice */
export const oneOf = <T extends string>(option: string, value: string, choices: readonly T[]): T => {
  const choice = choices.find((one) => one === value);
  if (choice === undefined)
    throw new UsageError(
      `${option} must be ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(choices)}, not "${value}".`,
    );
  return choice;
};

/** The completion script for a shell. @throws UsageError for an unknown shell */
export const completionsFor = (shell: string | undefined, commandLine: CommandLine): string => {
  if (isShell(shell)) return completions(shell, commandLine);
  throw new UsageError(`completions needs one of ${SHELLS.join(', ')}, not "${shell ?? ''}".`);
};

/** @throws UsageError */
export const parseArguments = <Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(parseFailure(error as Error, Object.keys(options)));
  }
};

/**
 * The exit code of a command that failed, after a line that says why.
 * @throws the error itself when it is a defect of the command, and not of its arguments, its files or its output
 */
export const exitCodeOf = (error: unknown, command: string, terminal: Terminal): 0 | 1 | 2 => {
  if (error instanceof UsageError) {
    terminal.note(`${error.message} \`${command} --help\` shows what is possible.`);
    return 2;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  // `| head` has read enough.
  if (code === 'EPIPE') return 0;
  if (code === undefined && !(error instanceof UnusableFiles)) throw error;
  terminal.note(message);
  return 1;
};

/** Ends the process in one line when Ctrl-C is pressed; databases are replaced as a whole, so none is half written. */
export const endOnInterrupt = (parent: NodeJS.Process): void => {
  parent.once('SIGINT', () => {
    parent.stderr.write('\nInterrupted.\n');
    parent.exit(130);
  });
};

/** Results on stdout, everything else on stderr; progress only when a person watches, cut to the width of the terminal. */
export const processTerminal = ({ stdout, stderr, env }: NodeJS.Process): Terminal => ({
  out: (line) =>
    new Promise((resolve, reject) => {
      // Without a listener it would end the process.
      stdout.once('error', reject);
      stdout.write(`${line}\n`, (error) => {
        if (error) return;
        stdout.off('error', reject);
        resolve();
      });
    }),
  note: (line) => void stderr.write(`${line}\n`),
  ...(stderr.isTTY &&
    env['TERM'] !== 'dumb' && {
      progress: (text: string) => void stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns || 80) - 1)}`),
    }),
});
