/** Answers so far, by HTTP status. */
export type AnswersByStatus = ReadonlyMap<string, number>;

/** What clients got over the last minutes, as lines of an SVG of 300 × 60: answers per second, the newest at the right edge. */
export interface History {
  /** points of the polylines of 202, 4xx and 5xx; empty: none of them */
  readonly lines: Readonly<Record<HistoryLine, string>>;
  /** the greatest of each, in words */
  readonly note: string;
}

/** The lines, by the statuses that they count. */
export const HISTORY_LINES = { accepted: /^202$/, rejected: /^4/, failed: /^5/ };
type HistoryLine = keyof typeof HISTORY_LINES;
const NAMES: Record<HistoryLine, string> = { accepted: '202', rejected: '4xx', failed: '5xx' };

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/**
 * @param totals what had been answered at the end of each interval, the oldest first, and now
 * @param intervalSeconds between two of them
 * @param lastSeconds from the last interval until now
 * @param most intervals that are shown
 */
export const historyOf = (
  totals: readonly AnswersByStatus[],
  intervalSeconds: number,
  lastSeconds: number,
  most: number,
): History => {
  const sums = (statuses: RegExp) =>
    totals.map((answers) =>
      [...answers].reduce((sum, [status, count]) => sum + (statuses.test(status) ? count : 0), 0),
    );
  const rates = (statuses: RegExp) =>
    sums(statuses)
      .map((sum, index, all) => sum - (all[index - 1] ?? 0))
      .slice(1)
      .map((count, index, all) => count / (index === all.length - 1 ? lastSeconds : intervalSeconds));
  const series = Object.entries(HISTORY_LINES).map(([name, statuses]) => {
    const values = rates(statuses);
    return { name: name as HistoryLine, values, top: Math.max(0, ...values) };
  });
  const top = Math.max(...series.map((one) => one.top));
  const pointsOf = (values: readonly number[]) =>
    values.map((value, index) => {
      const x = 300 - ((values.length - 1 - index) * 300) / most;
      return `${Math.round(x * 10) / 10},${Math.round((58 - (value / top) * 54) * 10) / 10}`;
    });
  const peaks = series.flatMap((one) =>
    one.top > 0 ? [`${numbers.format(one.top)} × ${NAMES[one.name]}`] : [],
  );
  return {
    lines: Object.fromEntries(
      series.map((one) => [one.name, one.top > 0 ? pointsOf(one.values).join(' ') : '']),
    ) as History['lines'],
    note: peaks.length > 0 ? `Peaks per second: ${peaks.join(', ')}` : 'No answers in the last 15 minutes',
  };
};
