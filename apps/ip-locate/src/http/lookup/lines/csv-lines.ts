import type { ProblemError } from '@workspace/service-kit/problems';
import { parseAddress } from '@workspace/ip-addresses';
import { cellsOf, type Delimiter, DELIMITERS } from '../../../domain/csv-row.ts';
import { type FieldName, valuesOf } from '../fields.ts';
import { csvCell } from '../formats/csv.ts';
import { freeName, type LineOptions, type LineWriter, problemOf, TOO_LONG } from './line-writer.ts';

/**
 * Rows keep their cells; the fields and a cell for an error follow them, in the same columns in each row, whatever is wrong with it.
 * Addresses are in the column `ip`, or the first one.
 */
export class CsvLines implements LineWriter {
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
