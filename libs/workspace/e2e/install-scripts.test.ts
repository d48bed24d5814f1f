import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

const read = (file: string): string => readFileSync(join(workspaceRoot, file), 'utf8');
const LOCKFILES = execFileSync('git', ['ls-files', '*package-lock.json'], {
  cwd: workspaceRoot,
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean);

// A script of a package can fetch what it likes. Those of esbuild, @swc/core and unrs-resolver fetch a program that is in no lockfile when
// the one of the platform is missing; that of nx updates a client of Nx Cloud.
describe('npm ci', () => {
  it('runs no script of a package, whatever npm is used', () => {
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    // npm runs such scripts of the workspace itself for every npm ci.
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    expect(Object.keys(scripts).filter((name) => /^(pre|post)|^(install|prepare)$/.test(name))).toEqual([]);
  });

  it.each(LOCKFILES)('has a digest in %s for every package', (file) => {
    const { packages } = JSON.parse(read(file)) as {
      packages: Record<string, { integrity?: string; inBundle?: boolean }>;
    };
    // A bundled package is part of the file of the one that bundles it.
    const unpinned = Object.entries(packages).filter(
      ([path, { integrity, inBundle }]) => path && !inBundle && !integrity?.startsWith('sha512-'),
    );
    expect(unpinned).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThan(5);
  });
});
