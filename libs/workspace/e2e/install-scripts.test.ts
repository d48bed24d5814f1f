import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@workspace/testing';

const readJson = (file: string) => JSON.parse(readFileSync(join(workspaceRoot, file), 'utf8')) as unknown;

// npm 11.16 and later run no other scripts (strict-allow-scripts in .npmrc); older ones know no such list and run all of them.
describe('scripts of packages during npm ci', () => {
  const { packages } = readJson('package-lock.json') as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const { allowScripts, engines, scarfSettings } = readJson('package.json') as {
    allowScripts: Record<string, boolean>;
    engines: Record<string, string>;
    scarfSettings: unknown;
  };

  it('are allowed or denied by name, each of them', () => {
    const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(names)].sort());
    expect(readFileSync(join(workspaceRoot, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  });

  it('need an npm that knows the list; npm start says so to older versions', () => {
    expect(engines['npm']).toBe('>=11.16');
  });

  it('send no telemetry, whatever npm is used', () => {
    expect(allowScripts).toMatchObject({ '@scarf/scarf': false });
    expect(scarfSettings).toEqual({ enabled: false });
  });
});
