import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the build writes for one package with these files. Jest loads no ES modules. */
const textsOf = (manifest: object, files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'licences-'));
  const module = pathToFileURL(join(__dirname, '../../../esbuild.licenses.js')).href;
  try {
    mkdirSync(join(folder, 'package'));
    writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifest));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'package', name), text);
    const script = `import { licenceTexts } from '${module}'; process.stdout.write(licenceTexts([process.argv[1]]))`;
    return execFileSync(
      process.execPath,
      ['--input-type=module', '--eval', script, join(folder, 'package')],
      {
        encoding: 'utf8',
        stdio: 'pipe',
      },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('the licences of what a build contains', () => {
  it('are the texts in the package', () => {
    const manifest = { name: 'some', version: '1.0.0', license: 'ISC' };
    expect(textsOf(manifest, { 'LICENSE.md': 'Permission\n', NOTICE: 'Notice', 'index.js': '' })).toBe(
      'some 1.0.0, ISC\n\nPermission\n\nNotice\n',
    );
  });

  it('are known for packages that have no file with them', () => {
    const redis = textsOf({ name: 'redis', version: '6.0.0', license: 'MIT' }, {});
    expect(redis).toContain('Permission is hereby granted');
  });

  it.each([
    ['without a text', { name: 'some', version: '1.0.0', license: 'MIT' }, { 'index.js': '' }],
    ['without a name', { name: 'some', version: '1.0.0' }, { LICENSE: 'Permission' }],
  ])('fail the build when one is %s', (_what, manifest, files) => {
    expect(() => textsOf(manifest, files)).toThrow('no licence text for some 1.0.0');
  });
});
