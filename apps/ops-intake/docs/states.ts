// Prints the table of states of a submission; with `--write`, renews it in guarantees.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { statesText } from '../test/states-text.ts';

const table = statesText();
console.log(table);
if (process.argv.includes('--write')) {
  const page = join(import.meta.dirname, 'guarantees.md');
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, text.replace(/(?<=^```\n)state .*?(?=\n```$)/ms, table));
}
