import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The runbooks, by file name. */
export const RUNBOOKS = readdirSync('runbooks').filter((name) => name.endsWith('.md'));

/** The commands of a runbook, block by block. */
export const blocksOf = (runbook: string): string[] =>
  [...readFileSync(join('runbooks', runbook), 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(
    ([, text]) => String(text),
  );
