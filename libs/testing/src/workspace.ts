import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder that holds nx.json. */
export const workspaceRoot = join(import.meta.dirname, '../../..');

/** Where tests keep what they make; git ignores it. */
export const cacheFolder = (): string => {
  const folder = join(workspaceRoot, '.cache');
  mkdirSync(folder, { recursive: true });
  return folder;
};

/** A file of a built service: what is tested is what is shipped. */
export const builtFile = (app: string, name = 'main.js'): string =>
  join(workspaceRoot, 'dist/apps', app, name);

/** A program of the workspace's development dependencies. */
export const workspaceProgram = (name: string): string => join(workspaceRoot, 'node_modules/.bin', name);

/** The user's cache, for what is fetched once for all clones. */
export const userCacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'three-services');
