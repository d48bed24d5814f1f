import { detach, yieldToEventLoop } from '@workspace/http-connections';
import { ProblemError } from '@workspace/service-kit/problems';
import { parseAddress } from '@workspace/ip-addresses';
import type { LookupResult } from '../../application/locate.ts';
import { cellsOf, type Delimiter, DELIMITERS } from '../../domain/csv-row.ts';
import { csvCell } from './formats/csv.ts';
import { type FieldName, valuesOf } from './fields.ts';
import { problemBody } from '../problem.ts';

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

export const lineWriter = (options: LineOptions): LineWriter =>
  options.output === 'csv' ? new CsvLines(options) : new NdjsonLines(options);

/** What an unreadable line is answered with; a batch of JSON cannot have such lines. */
const unreadable = (message: string): Record<string, unknown> => ({
  error: true,
  reason: 'Unreadable line',
  message,
});
const TOO_LONG = 'The line is too long.';
const TOO_DEEP = 'The line is nested too deeply.';

/** Objects keep their members, and the fields follow them: as `geo_city` when an object has a `city`. */
class NdjsonLines implements LineWriter {
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

/** A name that is not taken. */
const freeName = (name: string, isTaken: (name: string) => boolean): string =>
  isTaken(name) ? freeName(`geo_${name}`, isTaken) : name;

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

/**
 * Rows keep their cells; the fields and a cell for an error follow them, in the same columns in each row, whatever is wrong with it.
 * Addresses are in the column `ip`, or the first one.
 */
class CsvLines implements LineWriter {
  errors = 0;
  readonly #options: LineOptions;
  readonly #added: readonly FieldName[];
  /** of the first row; zero before it */
  #columns = 0;
  #column = 0;
  /** that of the first row */
  #delimiter: Delimiter = ',';
  #named: Delimiter | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
    // The address is in the row already.
    this.#added = options.fields.filter((field) => field !== 'ip');
  }

  write(line: string | undefined): string {
    const row = line === undefined ? undefined : this.#rowOf(line);
    if (row === '') return '';
    if (this.#columns === 0 && row !== undefined && this.#options.input === 'csv') {
      // A line of Excel's own.
      const [, named] = /^sep=([,;\t])$/.exec(row) ?? [];
      if (named !== undefined) {
        this.#named = named as Delimiter;
        return '';
      }
      this.#delimiter = this.#named ?? delimiterOf(row);
    }
    const cells = row === undefined ? [''] : cellsOf(row, this.#delimiter);
    if (row === undefined || cells.length > MAX_CELLS) {
      return this.#heading([''], false) + this.#failed([], TOO_LONG);
    }
    if (this.#columns > 0) return this.#answer(row, cells);
    const isHeader = this.#options.input === 'csv' && isHeading(cells);
    const heading = this.#heading(cells, isHeader);
    return isHeader ? heading : heading + this.#answer(row, cells);
  }

  end(problem: ProblemError): string {
    return this.#failed([], problem.type.title);
  }

  /** The names of the columns, once. Fields whose names the client uses have others. */
  #heading(cells: readonly string[], isHeader: boolean): string {
    if (this.#columns > 0) return '';
    this.#columns = cells.length;
    const given = cells.map((cell) => cell.trim().toLowerCase());
    if (isHeader) this.#column = Math.max(0, given.indexOf('ip'));
    const names = isHeader ? cells : cells.map((_, at) => (at === 0 ? 'ip' : `column${at + 1}`));
    const added = [...this.#added, 'error'].map((name) =>
      freeName(name, (text) => isHeader && given.includes(text)),
    );
    return this.#row([...names.map((name) => this.#quoted(name)), ...added]);
  }

  /** @param cells as they are written */
  #row(cells: readonly string[]): string {
    return `${cells.join(this.#delimiter)}\r\n`;
  }

  /** A cell of the client's, unchanged. */
  #quoted(cell: string): string {
    const isPlain = !cell.includes('"') && !cell.includes(this.#delimiter);
    return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
  }

  /** A cell of ours. */
  #cell(value: Parameters<typeof csvCell>[0]): string {
    const cell = csvCell(value);
    return cell.startsWith('"') ? cell : this.#quoted(cell);
  }

  #answer(row: string, cells: readonly string[]): string {
    // Further lines would be parts of that cell.
    if (OPEN_CELLS[this.#delimiter].test(row)) return this.#failed(cells, 'A quote does not end.');
    if (cells.length === this.#columns) return this.#located(row, cells);
    if (cells.slice(this.#columns).some((cell) => cell !== '')) {
      return this.#failed(cells, 'The row has more cells than the first one.');
    }
    return this.#located(this.#fitted(cells), cells);
  }

  /** Cells in as many columns as the first row has. */
  #fitted(cells: readonly string[]): string {
    const missing = this.#columns - Math.max(1, cells.length);
    const fitted = cells.slice(0, this.#columns).map((cell) => this.#quoted(cell));
    return fitted.join(this.#delimiter) + this.#delimiter.repeat(Math.max(0, missing));
  }

  /** The row that a line is in CSV. */
  #rowOf(line: string): string {
    const { input } = this.#options;
    const text = line.trim();
    if (text === '') return '';
    if (input === 'csv') return line.replace(/\r$/, '');
    if (input === 'text') return csvCell(text);
    try {
      const value = JSON.parse(text) as unknown;
      const ip = typeof value === 'object' && value !== null && 'ip' in value ? value.ip : value;
      return csvCell(typeof ip === 'string' ? ip : text);
    } catch {
      return csvCell(text);
    }
  }

  #located(row: string, cells: readonly string[]): string {
    const { lookUp } = this.#options;
    try {
      const values = valuesOf(lookUp((cells[this.#column] ?? '').trim()), this.#added);
      return this.#row([row, ...this.#added.map((field) => this.#cell(values[field] ?? null)), '']);
    } catch (error) {
      return this.#withError(row, problemOf(error)['reason'] as string);
    }
  }

  #failed(cells: readonly string[], reason: string): string {
    return this.#withError(this.#fitted(cells), reason);
  }

  #withError(row: string, reason: string): string {
    this.errors++;
    return this.#row([row, ...this.#added.map(() => ''), this.#cell(reason)]);
  }
}

/** Of a row. Each further row is answered with as many, however short it is. */
const MAX_CELLS = 1_000;
/** A row that ends within a cell in quotes. */
const OPEN_CELLS: Readonly<Record<Delimiter, RegExp>> = {
  ',': /^(?:(?:"(?:[^"]|"")*"|[^",][^,]*|),)*"(?:[^"]|"")*$/,
  ';': /^(?:(?:"(?:[^"]|"")*"|[^";][^;]*|);)*"(?:[^"]|"")*$/,
  '\t': /^(?:(?:"(?:[^"]|"")*"|[^"\t][^\t]*|)\t)*"(?:[^"]|"")*$/,
};

const isAddress = (cell: string): boolean => parseAddress(cell.trim()) !== undefined;
const isNamedIp = (cell: string): boolean => cell.trim().toLowerCase() === 'ip';

/** What separates the cells of a first row: what makes one of them an address or `ip`, else what there is most of. */
const delimiterOf = (row: string): Delimiter => {
  const rows = DELIMITERS.map((delimiter) => ({ delimiter, cells: cellsOf(row, delimiter) }));
  const known = rows.find(({ cells }) => cells.some((cell) => isAddress(cell) || isNamedIp(cell)));
  return (known ?? rows.reduce((most, one) => (one.cells.length > most.cells.length ? one : most))).delimiter;
};

/** Whether a first row names its columns: one of them is `ip`, or each is like a name, not like data. */
const isHeading = (cells: readonly string[]): boolean =>
  cells.some(isNamedIp) || cells.every((cell) => !isAddress(cell) && IS_NAME.test(cell.trim()));
/** No number, host, address or date. */
const IS_NAME = /^(?!localhost$)[\p{L}_][^.:/@]*$/iu;

/** The error of one address in its line; an internal error ends the whole batch. */
const problemOf = (error: unknown): Record<string, unknown> => {
  if (error instanceof ProblemError && error.type.status < 500) return problemBody(error.toProblem());
  throw error;
};

export interface StreamOptions {
  readonly writer: LineWriter;
  /** called before so many lines are looked up */
  readonly before?: (lines: number) => unknown;
  /** called with the bytes and lines that have been read */
  readonly progress?: (bytes: number, lines: number) => void;
}

/** Bytes of a line that is still read. */
const MAX_LINE = 16_384;
/** Lines in one turn of the event loop, of all streams together: other requests wait a few milliseconds at most. */
const LINES_PER_TURN = 250;

/**
 * Adds locations to a stream of lines in constant memory: it reads on only when what it has written has been taken.
 * @throws whatever `before` and a broken database throw
 */
export async function* enrichedLines(
  source: AsyncIterable<Uint8Array>,
  { writer, before, progress }: StreamOptions,
): AsyncGenerator<string> {
  let bytes = 0;
  let count = 0;
  for await (const lines of linesOf(source, (length) => void (bytes += length))) {
    for (let at = 0; at < lines.length; at += LINES_PER_TURN) {
      const some = lines.slice(at, at + LINES_PER_TURN);
      await before?.(some.length);
      await yieldToEventLoop();
      let written = '';
      for (const line of some) written += writer.write(line);
      count += some.length;
      progress?.(bytes, count);
      if (written !== '') yield written;
    }
  }
}

/** The lines that each chunk completes; undefined for a line that is too long. */
async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  onBytes: (length: number) => void,
): AsyncGenerator<(string | undefined)[]> {
  const splitter = new LineSplitter();
  for await (const chunk of source) {
    onBytes(chunk.length);
    const lines = splitter.split(chunk);
    // While a client sends nothing more, the generators that wait for it would keep the chunk.
    detach(chunk);
    if (lines.length > 0) yield lines;
  }
  yield splitter.end();
}

/** Not in the generator, which would keep the text of a chunk while it waits for the next one. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #isSkipping = false;
  #endsWithCr = false;

  split(chunk: Uint8Array): (string | undefined)[] {
    const decoded = this.#decoder.decode(chunk, { stream: true });
    if (decoded === '') return [];
    // The other half of a line break.
    const text = this.#endsWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#endsWithCr = decoded.endsWith('\r');
    const hasCr = text.includes('\r');
    // Split once a line ends: to split what is kept for each of many tiny chunks would cost the square of their number.
    if (!hasCr && !text.includes('\n') && (this.#isSkipping || this.#rest.length + text.length <= MAX_LINE)) {
      if (!this.#isSkipping) this.#rest += text;
      return [];
    }
    const lines: (string | undefined)[] = (this.#rest + text).split(hasCr ? /\r\n?|\n/ : '\n');
    this.#rest = lines.pop() ?? '';
    // The end of a line whose beginning has been answered.
    if (this.#isSkipping && lines.length > 0) {
      lines.shift();
      this.#isSkipping = false;
    }
    for (const [at, line] of lines.entries()) if (line && line.length > MAX_LINE) lines[at] = undefined;
    if (this.#isSkipping) this.#rest = '';
    else if (this.#rest.length > MAX_LINE) {
      lines.push(undefined);
      this.#rest = '';
      this.#isSkipping = true;
    }
    return lines;
  }

  end(): string[] {
    // A character that breaks off, as U+FFFD.
    this.#rest += this.#decoder.decode();
    return this.#rest === '' || this.#isSkipping ? [] : [this.#rest];
  }
}
