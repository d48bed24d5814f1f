import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { workspaceRoot } from '@workspace/testing';

export const APPS = ['release-web', 'ops-intake', 'ip-locate'] as const;
export type App = (typeof APPS)[number];

export const read = (path: string): string => readFileSync(join(workspaceRoot, path), 'utf8');

/** Files under a folder of the workspace whose names end so, relative to the workspace. */
export const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .sort();

/** All documents of a YAML file; a fault in it throws. */
export const documents = (path: string): unknown[] =>
  parseAllDocuments(read(path)).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join(', ')}`);
    return document.toJS() as unknown;
  });
