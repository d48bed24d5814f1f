/** Milliseconds between two lines: more often is not seen. */
const INTERVAL_MS = 100;
const BAR = 24;

export interface ProgressLine {
  /** @param total undefined when unknown */
  update(done: number, total: number | undefined): void;
  /** Erases the line. */
  end(): void;
}

/**
 * A progress bar of one line: `city [======>      ] 52 % · 31.4 of 60.2 MB · 4.1 MB/s · 7 s left`.
 * @param write replaces the line; nothing is written when undefined
 * @param unit name and size of what is counted: `['MB', 1e6]`
 * @param now milliseconds, monotonic
 */
export const progressLine = (
  label: string,
  write: ((text: string) => void) | undefined,
  [unit, size]: readonly [string, number],
  now: () => number = () => performance.now(),
): ProgressLine => {
  if (!write) return { update: () => undefined, end: () => undefined };
  const startedAt = now();
  let startedWith: number | undefined;
  let lastAt = -Infinity;
  const amount = (count: number): string =>
    size === 1 ? Math.round(count).toLocaleString('en') : (count / size).toFixed(1);
  return {
    update(done, total) {
      startedWith ??= done;
      const time = now();
      if (time - lastAt < INTERVAL_MS && done !== total) return;
      lastAt = time;
      const rate = (done - startedWith) / Math.max((time - startedAt) / 1000, 0.001);
      const parts = [total === undefined ? amount(done) : `${amount(done)} of ${amount(total)}`];
      const left = total !== undefined && rate > 0 ? ` · ${Math.ceil((total - done) / rate)} s left` : '';
      const bar = total === undefined || total === 0 ? '' : `${barOf(done / total)} `;
      write(`${label} ${bar}${parts.join('')} ${unit} · ${amount(rate)} ${unit}/s${left}`);
    },
    end: () => write(''),
  };
};

const barOf = (share: number): string => {
  const filled = Math.min(BAR, Math.floor(share * BAR));
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `[${'='.repeat(filled)}${filled < BAR ? '>' : ''}${' '.repeat(Math.max(0, BAR - filled - 1))}] ${percent} % ·`;
};
