import type { ProblemError } from '@workspace/service-kit/problems';
import { problemBody } from '../../problem.ts';
import { valuesOf } from '../fields.ts';
import { freeName, type LineOptions, type LineWriter, problemOf, TOO_LONG } from './line-writer.ts';

/** What an unreadable line is answered with; a batch of JSON cannot have such lines. */
const unreadable = (message: string): Record<string, unknown> => ({
  error: true,
  reason: 'Unreadable line',
  message,
});
const TOO_DEEP = 'The line is nested too deeply.';

/** Objects keep their members, and the fields follow them: as `geo_city` when an object has a `city`. */
export class NdjsonLines implements LineWriter {
  errors = 0;
  readonly #options: LineOptions;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  write(line: string | undefined): string {
    if (line === undefined) return this.#failed(unreadable(TOO_LONG));
    if (line.trim() === '') return '';
    const { input } = this.#options;
    if (input === 'text') return this.#located(line.trim(), undefined);
    let value: unknown;
    try {
      value = parseJson(line);
    } catch (error) {
      return this.#failed(unreadable(error instanceof RangeError ? TOO_DEEP : 'The line is not JSON.'));
    }
    if (typeof value === 'string') return this.#located(value, undefined);
    if (typeof value === 'object' && value !== null && 'ip' in value && typeof value.ip === 'string') {
      return this.#located(value.ip, value);
    }
    return this.#failed(unreadable('A line is an address, or an object with an address as "ip".'));
  }

  end(problem: ProblemError): string {
    const wait = problem.options.headers?.['retry-after'];
    const body = problemBody(problem.toProblem());
    return this.#failed(wait === undefined ? body : { ...body, retryAfter: Number(wait) });
  }

  #located(address: string, given: object | undefined): string {
    const { lookUp, fields } = this.#options;
    let enriched: object;
    try {
      enriched = valuesOf(lookUp(address), fields);
    } catch (error) {
      return this.#failed(withMembers(given, problemOf(error)));
    }
    const line = lineOf(given ? withMembers(given, enriched) : enriched);
    return line ?? this.#failed(unreadable(TOO_DEEP));
  }

  #failed(body: object): string {
    this.errors++;
    return lineOf(body) ?? lineOf(unreadable(TOO_DEEP))!;
  }
}

/** What the client sent, and what is found, which replaces nothing but a valid address by its canonical spelling. */
const withMembers = (given: object | undefined, found: object): object => {
  if (!given) return found;
  const all: Record<string, unknown> = { ...given };
  const isFailed = 'error' in found;
  for (const [name, value] of Object.entries(found)) {
    if (name !== 'ip') all[freeName(name, (text) => Object.hasOwn(given, text))] = value;
    else if (!isFailed) all[name] = value;
  }
  return all;
};

/** A value as a line; undefined when it is nested too deeply for the stack. */
const lineOf = (value: object): string | undefined => {
  try {
    return `${JSON.stringify(value)}\n`;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** Numbers that JavaScript may write in another way than they were: with many digits or an exponent. */
const LONG_NUMBER = /[:,[\s]-?(?:[\d.]{16}|[\d.]+e)/i;
/** In V8, but not yet in TypeScript (https://github.com/tc39/proposal-json-parse-with-source). */
const { parse, rawJSON } = JSON as unknown as {
  parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { source: string }) => unknown,
  ) => unknown;
  rawJSON: (text: string) => unknown;
};

/** Parses JSON so that each number is written again as it is: an id may have more digits than a number of JavaScript. */
const parseJson = (text: string): unknown =>
  LONG_NUMBER.test(text)
    ? parse(text, (_, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value))
    : JSON.parse(text);
