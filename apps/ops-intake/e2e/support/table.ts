import type { ScenarioResult, FaultScenario } from '../scenarios/test-bed.ts';

const zeros = ['missing', 'doubled', 'notPublishedFound', 'altered', 'misplaced', 'wrongKey'];

export type TableRow = ScenarioResult & { scenario: FaultScenario; took: number };

/** The fault table as text. */
export const table = (rows: readonly TableRow[]): string => {
  const title = 'Fault table: the records in the log compared with the answers to clients';
  return ['', title, ...rows.map(rowText), ''].join('\n');
};

/** One row: its conclusion, the zeros together, then every other figure. */
export const rowText = ({ scenario, figures, violations, late = [], took }: TableRow): string => {
  const conclusion =
    violations.length > 0
      ? `BROKEN: ${violations.join('; ')}`
      : late.length > 0
        ? `holds, late: ${late.join('; ')}`
        : 'holds';
  const zeroFigures = zeros.filter((name) => name in figures).map((name) => `${name} ${figures[name]}`);
  const others = Object.entries(figures)
    .filter(([name]) => !zeros.includes(name))
    .map(([name, figure]) => `${name} ${figure}`);
  return [
    `${scenario.id.padEnd(4)} ${conclusion}  ${scenario.fault}  (${(took / 1000).toFixed(0)} s)`,
    ...(zeroFigures.length > 0 ? [`     ${zeroFigures.join(', ')}`] : []),
    `     ${others.join(', ')}`,
  ].join('\n');
};
