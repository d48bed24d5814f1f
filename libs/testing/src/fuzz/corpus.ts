import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { dirname, join } from 'node:path';

/** An input on one line: text as a JSON string, other bytes as `{"base64": …}`. */
export const lineOf = (input: Buffer): string =>
  JSON.stringify(isUtf8(input) ? input.toString() : { base64: input.toString('base64') });

const inputOf = (line: string): Buffer => {
  const value = JSON.parse(line) as string | { base64: string };
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64');
};

/** The inputs of a target that are kept in the repository, an input a line. */
export class Corpus {
  readonly file: string;

  /** @param folder of the targets */
  constructor(folder: string, target: string) {
    this.file = join(folder, 'corpus', `${target}.jsonl`);
  }

  read(): Buffer[] {
    if (!existsSync(this.file)) return [];
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(inputOf);
  }

  write(inputs: readonly Buffer[]): void {
    mkdirSync(dirname(this.file), { recursive: true });
    const lines = [...new Set(inputs.map(lineOf))].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    writeFileSync(this.file, lines.map((line) => `${line}\n`).join(''));
  }

  add(input: Buffer): void {
    this.write([...this.read(), input]);
  }
}
