import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { kitRefusals } from '@workspace/service-kit';
import { readmeTable } from '@workspace/service-kit/testing';
import { Config } from '../src/config.ts';
import { ALL_FIELDS } from '../src/domain/fields.ts';
import { refusals } from '../src/errors.ts';
import { readFileSync } from 'node:fs';

const README = join(__dirname, '../README.md');

describe('the README', () => {
  it('has the environment of the schema', () => {
    const expected = Object.entries<TSchema>(Config.properties).map(([name, schema]) => [
      name,
      String(schema['default'] ?? ''),
      schema.description?.replaceAll('`', ''),
    ]);
    expect(readmeTable(README, 'Environment')).toEqual(expected);
  });

  it('has the refusals of the catalogue', () => {
    const expected = [...Object.values(refusals), ...Object.values(kitRefusals)].map(
      ({ code, status, title }) => [code, String(status), title],
    );
    expect(readmeTable(README, 'Errors')).toEqual(expected);
  });

  it('names every field', () => {
    const text = readFileSync(README, 'utf8');
    expect(ALL_FIELDS.filter((field) => !new RegExp(`[\\s\`]${field}[\\s\`]`).test(text))).toEqual([]);
  });
});
