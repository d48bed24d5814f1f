import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

const read = (path: string): string => readFileSync(join(workspaceRoot, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
const direct = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
  Object.keys(manifest[kind] ?? {}),
);
const [, quiet = '', active = ''] = read('.github/DEPENDENCIES.md').split(/^## /m);
const rows = [...quiet.matchAll(/^- `([^`]+)` \((\d{4}), (own|npm)\): (.+)$/gm)];

describe('the page about dependencies', () => {
  it('judges every direct dependency once, and no other package', () => {
    const named = [
      ...rows.map(([, name]) => String(name)),
      ...[...active.matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)),
    ];
    expect(named.sort()).toEqual(direct.sort());
  });

  it('has a year, its source and a reason for each that had no release for two years', () => {
    expect(rows.length).toBeGreaterThan(5);
    expect(rows).toHaveLength(quiet.split('\n').filter((line) => line.startsWith('- `')).length);
    for (const [, , year] of rows) expect(Number(year)).toBeLessThanOrEqual(2024);
  });
});
