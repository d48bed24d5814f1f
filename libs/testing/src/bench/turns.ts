import { availableParallelism, loadavg } from 'node:os';

/**
 * Measures every subject once in each round, so that a busy moment of the machine meets all of them.
 * @returns what was measured of each subject, a figure a round
 */
export const inTurns = async <Subject, Figure>(
  subjects: readonly Subject[],
  rounds: number,
  measure: (subject: Subject, round: number) => Promise<Figure>,
): Promise<Figure[][]> => {
  const figures: Figure[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) figures[index]!.push(await measure(subject, round));
  }
  return figures;
};

/** The one statistic of all benches: a round that the machine disturbed does not move it. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/** The median of one member over all rounds. */
export const medianOf = <Name extends string>(
  rounds: readonly Readonly<Record<Name, number>>[],
  name: Name,
): number => median(rounds.map((round) => round[name]));

/** Median, least and greatest of one subject's figure by another's in the same round. */
export const ratioOf = (of: readonly number[], to: readonly number[]): string => {
  const ratios = of.map((value, round) => value / (to[round] ?? NaN));
  const [middle, least, greatest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${least.toFixed(2)}–${greatest.toFixed(2)})`;
};

/** What figures depend on, to stand above them. */
export const machine = (): string =>
  `${availableParallelism()} cores, Node ${process.version}, load average before: ${loadavg()[0]?.toFixed(1)}`;

/** Prints a row of a Markdown table. */
export const printRow = (...cells: readonly (string | number)[]): void =>
  console.log(`| ${cells.join(' | ')} |`);

/** Prints the head of a Markdown table, the first column for names and the others for figures. */
export const printHead = (...cells: readonly string[]): void => {
  printRow(...cells);
  printRow(...cells.map((_cell, index) => (index === 0 ? '---' : '---:')));
};

export const whole = (value: number): string => Math.round(value).toLocaleString('en');
