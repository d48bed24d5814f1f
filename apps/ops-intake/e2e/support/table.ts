import type { Finding, Row } from '../rows/ground.ts';

const zeros = ['missing', 'doubled', 'notPublishedFound', 'altered', 'misplaced', 'strangers'];

export type TableRow = Finding & { row: Row; took: number };

/** The fault table as text. */
export function table(rows: readonly TableRow[]): string {
  const title = 'Fault table: what the log holds against what the clients were told';
  return ['', title, ...rows.map(rowText), ''].join('\n');
}

/** One row: its verdict, the zeros together, then every other figure. */
export function rowText({ row, figures, violations, late = [], took }: TableRow): string {
  const verdict =
    violations.length > 0
      ? `BROKEN: ${violations.join('; ')}`
      : late.length > 0
        ? `holds, late: ${late.join('; ')}`
        : 'holds';
  const ledger = zeros.filter((name) => name in figures).map((name) => `${name} ${figures[name]}`);
  const others = Object.entries(figures)
    .filter(([name]) => !zeros.includes(name))
    .map(([name, figure]) => `${name} ${figure}`);
  return [
    `${row.id.padEnd(4)} ${verdict}  ${row.fault}  (${(took / 1000).toFixed(0)} s)`,
    ...(ledger.length > 0 ? [`     ${ledger.join(', ')}`] : []),
    `     ${others.join(', ')}`,
  ].join('\n');
}
