import { join } from 'node:path';

/** The folder that holds nx.json. */
export const workspaceRoot = join(import.meta.dirname, '../../..');
