/** The members that the list shows. */
interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly advice?: string;
}

/** The rows that a list of errors must have for catalogues of problems: code, status, what to do. */
export const problemRows = (...catalogues: Readonly<Record<string, ProblemType>>[]): string[][] =>
  catalogues
    .flatMap((catalogue) => Object.values(catalogue))
    .map(({ code, status, advice = '' }) => [code, String(status), advice.replaceAll('`', '')]);
