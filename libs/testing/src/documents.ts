import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Texts of Markdown files by their path in the project. */
export type Documents = ReadonlyMap<string, string>;

/** The README of a project and the pages of its `docs/`. @param project path of its folder */
export const documentsOf = (project: string): Documents =>
  new Map(
    ['README.md', ...globSync('docs/*.md', { cwd: project })].map((path) => [
      path,
      readFileSync(join(project, path), 'utf8'),
    ]),
  );

/** What GitHub makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (text = ''): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!));

/**
 * Links and pictures of a document that lead to a file or a heading which the project does not have. Links out of the project are not
 * checked: its tests do not declare other projects as their inputs.
 * @param file path of the document in the project
 */
export const deadLinks = (project: string, documents: Documents, file: string): string[] =>
  [...documents.get(file)!.matchAll(/(?:\]\(|src=")((?!https?:)[^)"\s]+)/g)]
    .map(([, link]) => link!)
    .filter((link) => {
      const [path, anchor] = link.split('#');
      const target = path ? normalize(join(dirname(file), path)) : file;
      if (target.startsWith('..')) return false;
      const known = anchor === undefined || anchorsOf(documents.get(target)).includes(anchor);
      return !known || !existsSync(join(project, target));
    });
