import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts of Markdown files by their path in the project. */
export type Documents = ReadonlyMap<string, string>;

/** The README of a project and the pages of its `docs/`. @param project path of its folder */
export const documentsOf = (project: string, pages: readonly string[] = ['docs/*.md']): Documents =>
  new Map(
    ['README.md', ...globSync(pages, { cwd: project })].map((path) => [
      path,
      readFileSync(join(project, path), 'utf8'),
    ]),
  );
