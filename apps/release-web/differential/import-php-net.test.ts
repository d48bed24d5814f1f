import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDataFolder, preReleases } from '@workspace/release-catalogue';
import { phpTables, REAL } from '@workspace/release-catalogue/testing';
import { phpJson } from '../src/http/php/php-value.ts';
import { preReleasesKeyed } from '../src/http/php/pre-release-builds.ts';
import { importPhpNet } from './import-php-net.ts';

it("makes valid data of php.net's tables, without what its endpoint derives", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-php-net-'));
  const tables = phpTables(REAL);
  const keyed = preReleasesKeyed(REAL.product, preReleases(REAL));
  importPhpNet({ ...tables, qa: JSON.parse(phpJson(keyed)) }, folder);
  const { catalogue } = await loadDataFolder(folder, { now: new Date() });
  expect(phpTables(catalogue)).toEqual(tables);
  rmSync(folder, { recursive: true });
});
