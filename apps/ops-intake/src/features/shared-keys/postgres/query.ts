/**
 * Runs a statement on a connection of the pool.
 * @param undo what is done when the statement was sent and not answered in time
 */
export type Query = (
  name: string,
  text: string,
  values?: unknown[],
  undo?: readonly [text: string, values: unknown[]],
) => Promise<{ rows: unknown[]; rowCount: number | null }>;

/** Runs a statement that has a row. @throws CallFailed also for a row that is not as expected */
export type RowOf = <Row>(check: (row: unknown) => Row, ...statement: Parameters<Query>) => Promise<Row>;
