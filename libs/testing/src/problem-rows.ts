/** The members that the table shows. */
interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/** The rows that a table of errors must have for catalogues of problems: code, status, title. */
export const problemRows = (...catalogues: Readonly<Record<string, ProblemType>>[]): string[][] =>
  catalogues
    .flatMap((catalogue) => Object.values(catalogue))
    .map(({ code, status, title }) => [code, String(status), title]);
