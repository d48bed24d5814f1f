import type { TObject, TSchema } from '@sinclair/typebox';

/** As far as the table shows it. */
interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/** The rows of a README's table of variables for a schema: name, default, description. */
export const environmentRows = (schema: TObject): unknown[][] =>
  Object.entries<TSchema>(schema.properties).map(([name, property]) => [
    name,
    String(property['default'] ?? ''),
    property.description?.replaceAll('`', ''),
  ]);

/** What a README's table of errors has to say of catalogues of problems: code, status, title. */
export const problemRows = (...catalogues: Readonly<Record<string, ProblemType>>[]): string[][] =>
  catalogues
    .flatMap((catalogue) => Object.values(catalogue))
    .map(({ code, status, title }) => [code, String(status), title]);
