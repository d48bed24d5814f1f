import { ProblemError } from '@workspace/service-kit/problems';
import type { LookupResult } from '../../../application/locate.ts';
import { problemBody } from '../../problem.ts';
import type { FieldName } from '../fields.ts';

/** `text`: an address per line · `ndjson`: an address or an object with `ip` per line (https://ndjson.org) · `csv`: RFC 4180 */
export type InputFormat = 'text' | 'ndjson' | 'csv';
export type OutputFormat = 'ndjson' | 'csv';

export interface LineOptions {
  readonly input: InputFormat;
  readonly output: OutputFormat;
  readonly fields: readonly FieldName[];
  /** @throws ProblemError when there is no location for the address */
  readonly lookUp: (address: string) => LookupResult;
}

/** Adds locations to lines, one line in, one line out; empty lines are left out. The error of a line stands in its place. */
export interface LineWriter {
  /** @param line without its line break; undefined for one that is too long to be read */
  write(line: string | undefined): string;
  /** The last line of an answer that ends before its request does. */
  end(problem: ProblemError): string;
  /** lines with an error so far */
  readonly errors: number;
}

export const TOO_LONG = 'The line is too long.';

/** The name of a field, with `geo_` before it as often as the line has a member or column of that name. */
export const freeName = (name: string, isTaken: (name: string) => boolean): string =>
  isTaken(name) ? freeName(`geo_${name}`, isTaken) : name;

/** The error of one address in its line; an internal error ends the whole batch. */
export const problemOf = (error: unknown): Record<string, unknown> => {
  if (error instanceof ProblemError && error.type.status < 500) return problemBody(error.toProblem());
  throw error;
};
