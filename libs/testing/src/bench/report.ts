import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../tools.ts';
import { workspaceRoot } from '../workspace.ts';

/**
 * The figures of a bench: printed as they come, and with `--write` put into a document of the workspace, between
 * `<!-- figures: NAME -->` and `<!-- end of figures -->`. No table is copied by hand.
 */
export class Report {
  readonly #document: string;
  readonly #name: string;
  readonly #lines: string[] = [];

  /** Prints what the figures depend on. @param document path from the root of the workspace @throws Error: it has no place for them */
  constructor(document: string, name: string, conditions: string) {
    this.#document = join(workspaceRoot, document);
    this.#name = name;
    // Rather now than at the end of a long run.
    if (isToBeWritten()) this.#with('');
    console.log(`load average before: ${loadavg()[0]?.toFixed(1)}`);
    this.line(`${today()}, ${machineFacts()}; ${conditions}.`);
    this.line();
  }

  /** A paragraph, or an empty line. */
  line(text = ''): void {
    console.log(text);
    this.#lines.push(text);
  }

  row(...cells: readonly (string | number)[]): void {
    this.line(`| ${cells.join(' | ')} |`);
  }

  /** The head of a table, the first column for names and the others for figures. */
  head(...cells: readonly string[]): void {
    this.line();
    this.row(...cells);
    this.row(...cells.map((_cell, index) => (index === 0 ? '---' : '---:')));
  }

  /** Puts the figures into the document if the command line has `--write`. */
  async write(): Promise<void> {
    if (!isToBeWritten()) return;
    writeFileSync(this.#document, this.#with(this.#lines.join('\n')));
    await runTool('npx', ['prettier', '--write', '--log-level', 'warn', this.#document]);
    console.log(`\nwritten to ${this.#document}`);
  }

  #with(figures: string): string {
    return withFigures(readFileSync(this.#document, 'utf8'), this.#name, figures);
  }
}

const isToBeWritten = (): boolean => process.argv.includes('--write');

const END = '<!-- end of figures -->';

/** The document with new figures of that name. @throws Error: it has no place for them */
export const withFigures = (document: string, name: string, figures: string): string => {
  const begin = `<!-- figures: ${name} -->`;
  const start = document.indexOf(begin);
  const end = document.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error(`the document has no ${begin} … ${END}`);
  return `${document.slice(0, start)}${begin}\n\n${figures.trim()}\n\n${document.slice(end)}`;
};

const today = (): string => new Date().toISOString().slice(0, 10);

const machineFacts = (): string => {
  const model = cpus()[0]
    ?.model.replace(/\((?:R|TM)\)/g, '')
    .trim();
  return `${cpus().length} × ${model}, Node ${process.version}`;
};
