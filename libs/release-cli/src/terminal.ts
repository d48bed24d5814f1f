import type { WriterFiles } from '@workspace/release-catalogue';

/** Where a command talks to a person or a script. */
export interface Terminal {
  /** the result, one line */
  readonly out: (line: string) => void;
  /** progress or an error, one line */
  readonly note: (line: string) => void;
  /** a line that replaces the one before; '' ends it. Absent without a terminal. */
  readonly progress?: (text: string) => void;
  /** asks yes or no; absent without a terminal */
  readonly confirm?: (question: string) => Promise<boolean>;
  readonly colour: boolean;
}

/** Replaces the last line of a terminal, with as much as fits; undefined where no line can be replaced. */
export const progressOf = (
  stderr: { isTTY?: boolean; columns?: number; write(text: string): unknown },
  env: NodeJS.ProcessEnv,
): Terminal['progress'] =>
  stderr.isTTY && env['TERM'] !== 'dumb'
    ? (text) => void stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns || 80) - 1)}`)
    : undefined;

/** What every command works with. */
export interface CliContext {
  readonly terminal: Terminal;
  /** the data folder when `--data` is not given */
  readonly folder: string;
  /** of the service whose data it publishes */
  readonly version: string;
  readonly now: Date;
  /** the file system to write to; the real one when left out */
  readonly files?: WriterFiles;
}

/** One command of the CLI. */
export interface Command {
  readonly summary: string;
  /** arguments and options, one per line */
  readonly usage: string;
  /** names of all its options, without dashes */
  readonly options: readonly string[];
  /** a command line that does something useful, without the program's name */
  readonly example: string;
  /** what is left after a failed write, when it is not what was there before */
  readonly afterFailure?: string;
  /** @returns the exit code: 0 success, 1 rejected */
  readonly run: (args: string[], context: CliContext) => Promise<number>;
}

/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command is understood and cannot be carried out; nothing was written; exit code 1. */
export class CommandRejected extends Error {
  override readonly name = 'CommandRejected';
}

/** Rejects the command for what failed. @param text says so, with the reason */
export const rejection =
  (text: (why: string) => string) =>
  (cause: Error): never => {
    throw new CommandRejected(text(cause.message), { cause });
  };
