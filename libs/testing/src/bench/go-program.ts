import { execFileSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { missingTools } from '../tools.ts';
import { workspaceRoot } from '../workspace.ts';

/**
 * Builds a program in Go that a bench compares a service with.
 * @param folder of its `go.mod`
 * @returns path of the program; undefined, and a printed line, where Go is not installed
 */
export const goProgram = (folder: string): string | undefined => {
  if (missingTools('go').length > 0) {
    console.log(`without ${basename(dirname(folder))}/${basename(folder)}: Go is not installed`);
    return undefined;
  }
  const program = join(workspaceRoot, 'dist/bench', folder.slice(workspaceRoot.length).replaceAll('/', '-'));
  execFileSync('go', ['build', '-o', program, '.'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  return program;
};
