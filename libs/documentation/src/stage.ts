import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stagingFolder, type WorkspaceFiles, workspaceRoot } from './documents.ts';

/** Copies one Markdown file or picture to its place in the site. Pictures are shown in pages, and links lead to them. */
export const stageFile = (file: string, page: string): void =>
  cpSync(join(workspaceRoot, file), join(stagingFolder, page.endsWith('.png') ? 'public' : '', page));

/**
 * Puts all pages together where VitePress reads them: the Markdown files and pictures of the workspace, and the references of the
 * services as they are.
 * @param documents texts by `service/file`
 */
export const stage = ({ published }: WorkspaceFiles, documents: ReadonlyMap<string, string>): void => {
  rmSync(stagingFolder, { recursive: true, force: true });
  for (const [file, page] of published) stageFile(file, page);
  for (const [name, text] of documents) {
    const path = join(stagingFolder, 'public', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  for (const name of ['LICENSE', 'NOTICE'])
    cpSync(join(workspaceRoot, name), join(stagingFolder, `public/${name}.txt`));
};
