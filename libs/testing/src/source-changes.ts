import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { workspaceRoot } from './workspace.ts';

/** A text in a source of the workspace, and what stands there instead. */
export interface SourceChange {
  /** path from the root of the workspace */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A source of the workspace as JavaScript, every character where it was. */
export const javaScriptOf = (url: string): string =>
  stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));

/**
 * The changed sources as JavaScript, by URL.
 * @throws when a source no longer has the text
 */
export const changedSources = (changes: readonly SourceChange[]): ReadonlyMap<string, string> => {
  const sources = new Map<string, string>();
  for (const { file, from, to } of changes) {
    const url = pathToFileURL(join(workspaceRoot, file)).href;
    const source = sources.get(url) ?? javaScriptOf(url);
    if (!source.includes(from)) throw new Error(`${file} has no ${from}`);
    sources.set(
      url,
      source.replaceAll(from, () => to),
    );
  }
  return sources;
};

/** Has this thread load other JavaScript in place of sources from now on. @param sourceOf undefined: as it is */
export const loadInstead = (sourceOf: (url: string) => string | undefined): void => {
  registerHooks({
    load: (url, context, next) => {
      const source = sourceOf(url.split('?')[0]!);
      return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
    },
  });
};

/** Changes sources as this thread loads them from now on: a test can show what it finds in them. */
export const loadChanged = (changes: readonly SourceChange[]): void => {
  const sources = changedSources(changes);
  loadInstead((url) => sources.get(url));
};
