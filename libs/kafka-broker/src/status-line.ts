/** Lines of output and, on a terminal, one more below them that is replaced. */
export interface StatusLine {
  /** Writes a line that stays. */
  line(text: string): void;
  /** Replaces the last line, '' erases it; nothing happens without a terminal. */
  status(text: string): void;
}

/** @param output where a person may watch, such as `process.stdout` */
export const statusLine = (
  output: { isTTY?: boolean; columns?: number; write(text: string): unknown },
  env: NodeJS.ProcessEnv,
): StatusLine => {
  const replaceable = output.isTTY === true && env['TERM'] !== 'dumb';
  let current = '';
  const erase = (): string => (current === '' ? '' : '\r\u001b[K');
  return {
    line: (text) => void output.write(`${erase()}${text}\n${current}`),
    status(text) {
      // A line that wraps could not be erased.
      const next = text.slice(0, (output.columns || 80) - 1);
      if (!replaceable || next === current) return;
      const erased = erase();
      current = next;
      output.write(`${erased}${current}`);
    },
  };
};
