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
