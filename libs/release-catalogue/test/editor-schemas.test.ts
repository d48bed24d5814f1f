import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { editorSchemas } from '../src/schemas/editor-schemas.ts';
import { DATA_FOLDER } from '../src/testing/edited-catalogue.ts';

const read = (...path: string[]) => readFileSync(join(DATA_FOLDER, ...path), 'utf8');

describe('the JSON Schemas for editors', () => {
  it('are those of the code; else run `npx nx release-data release-web -- schemas`', () => {
    const schemas = editorSchemas();
    expect(readdirSync(join(DATA_FOLDER, 'schemas')).sort()).toEqual([...schemas.keys()].sort());
    for (const [name, text] of schemas) expect(read('schemas', name)).toBe(text);
  });

  it.each(
    ['product.json', 'news.json', 'accepted-findings.json'].concat(
      readdirSync(join(DATA_FOLDER, 'branches')).map((name) => join('branches', name)),
    ),
  )('%s names its schema and fits it', (file) => {
    const data = JSON.parse(read(file)) as { $schema: string };
    const schema = JSON.parse(read(file, '..', data.$schema)) as object;
    const ajv = new Ajv({ strict: true, strictTypes: false });
    expect(ajv.validate(schema, data) || ajv.errors).toBe(true);
  });
});
