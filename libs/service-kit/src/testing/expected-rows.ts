import type { TObject, TSchema } from '@sinclair/typebox';
import type { ProblemType } from '../http/problems/problem-error.ts';

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
