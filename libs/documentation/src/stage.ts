import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { stagingFolder, type WorkspaceFiles, workspaceRoot } from './documents.ts';
import { asyncApiPage } from './references/async-api-page.ts';
import { openApiPage } from './references/open-api-page.ts';

const write = (file: string, text: string): void => {
  const path = join(stagingFolder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** Copies one Markdown file or picture to its place in the site. Pictures are shown in pages, and links lead to them. */
export const stageFile = (file: string, page: string): void =>
  cpSync(join(workspaceRoot, file), join(stagingFolder, page.endsWith('.png') ? 'public' : '', page));

/**
 * Puts all pages together where VitePress reads them: the Markdown files and pictures of the workspace, and the references made
 * from what the services say of themselves.
 * @param documents texts by `service/document`
 */
export const stage = ({ published }: WorkspaceFiles, documents: ReadonlyMap<string, string>): void => {
  rmSync(stagingFolder, { recursive: true, force: true });
  for (const [file, page] of published) stageFile(file, page);
  for (const [name, text] of documents) {
    const service = dirname(name);
    write(`public/${name}`, text);
    if (name.endsWith('/openapi.json')) write(`${service}/api-reference.md`, openApiPage(JSON.parse(text)));
    if (name.endsWith('/asyncapi.json')) write(`${service}/records.md`, asyncApiPage(JSON.parse(text)));
  }
  for (const name of ['LICENSE', 'NOTICE'])
    cpSync(join(workspaceRoot, name), join(stagingFolder, `public/${name}.txt`));
  // One file of 3 MB that nothing else needs: pages with a diagram load it.
  cpSync(
    createRequire(import.meta.url).resolve('@mermaid-js/tiny'),
    join(stagingFolder, 'public/mermaid.js'),
  );
};
