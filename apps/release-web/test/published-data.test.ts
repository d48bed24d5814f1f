import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { editorSchemas, loadDataFolder } from '@workspace/release-catalogue';

/** The only tests of the data that is published; all others have data that stays as it is. */
const DATA = join(__dirname, '../data');

const read = (...path: string[]) => readFileSync(join(DATA, ...path), 'utf8');

describe('the JSON Schemas for editors', () => {
  it('are those of the code; else run `npx nx release-data release-web -- schemas`', () => {
    const schemas = editorSchemas();
    expect(readdirSync(join(DATA, 'schemas')).sort()).toEqual([...schemas.keys()].sort());
    for (const [name, text] of schemas) expect(read('schemas', name)).toBe(text);
  });

  it.each(
    ['product.json', 'news.json', 'accepted-findings.json'].concat(
      readdirSync(join(DATA, 'branches')).map((name) => join('branches', name)),
    ),
  )('%s names its schema and fits it', (file) => {
    const data = JSON.parse(read(file)) as { $schema: string };
    const schema = JSON.parse(read(file, '..', data.$schema)) as object;
    const ajv = new Ajv({ strict: true, strictTypes: false });
    expect(ajv.validate(schema, data) || ajv.errors).toBe(true);
  });
});

it('the data is valid', async () => {
  const { catalogue } = await loadDataFolder(DATA, { now: new Date() });
  expect(catalogue.branches.length).toBeGreaterThanOrEqual(25);
});
