import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the workspace. */
export const WORKSPACE = join(import.meta.dirname, '../../..');
// Tests keep there what they make; git ignores it.
mkdirSync(join(WORKSPACE, '.cache'), { recursive: true });

/** A program of the workspace's development dependencies. */
export const workspaceProgram = (name: string): string => join(WORKSPACE, 'node_modules/.bin', name);
