import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PROJECT = join(__dirname, '..');

/** The README and the pages of its reference: their texts, by their path in the project. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  ['README.md', ...globSync('docs/*.md', { cwd: PROJECT })].map((path) => [
    path,
    readFileSync(join(PROJECT, path), 'utf8'),
  ]),
);

/** All of them, one after the other. */
export const DOCUMENTATION = [...DOCUMENTS.values()].join('\n');
