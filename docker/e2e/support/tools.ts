import { spawnSync } from 'node:child_process';

/** Those of the named programs that are not on this machine. */
export const missingTools = (...tools: readonly string[]): string[] =>
  tools.filter((tool) => spawnSync('which', [tool]).status !== 0);
