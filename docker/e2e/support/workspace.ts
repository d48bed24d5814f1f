import { resolve } from 'node:path';

/** The workspace's root; Jest runs in the project's folder. */
export const workspace = resolve('..');
