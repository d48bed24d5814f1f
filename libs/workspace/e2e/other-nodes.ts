import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

/**
 * Installs the versions of Node and npm in other-nodes/package-lock.json into a new folder.
 * @returns the folder, and the path of a program of a package by its alias; undefined where the platform has no such package
 */
export const installOtherNodes = (): {
  folder: string;
  program: (alias: string, path: string) => string | undefined;
} => {
  const folder = mkdtempSync(join(tmpdir(), 'other-nodes-'));
  cpSync(join(workspaceRoot, 'libs/workspace/e2e/other-nodes'), folder, { recursive: true });
  cpSync(join(workspaceRoot, '.npmrc'), join(folder, '.npmrc'));
  execFileSync('npm', ['ci'], { cwd: folder, stdio: 'pipe' });
  return {
    folder,
    program: (alias, path) => {
      const file = join(folder, 'node_modules', alias, path);
      return existsSync(file) ? file : undefined;
    },
  };
};
