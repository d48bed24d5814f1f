import { join } from 'node:path';
import { commonProblems } from '@workspace/service-kit';
import { environmentRows, readmeTable, problemRows } from '@workspace/testing';
import { Config } from '../src/config.ts';
import { FIELD_NAMES } from '../src/http/lookup/fields.ts';
import { formatNames } from '../src/http/lookup/formats/formats.ts';
import { problems } from '../src/problems.ts';
import { readFileSync } from 'node:fs';

const README = join(__dirname, '../README.md');

describe('the README', () => {
  it('has the environment of the schema', () => {
    expect(readmeTable(README, 'Environment')).toEqual(environmentRows(Config));
  });

  it('has the problems of the catalogue', () => {
    expect(readmeTable(README, 'Errors')).toEqual(problemRows(problems, commonProblems));
  });

  it('names every format', () => {
    const row = /^\| `\/\{ip\}\/\{format\}` .*/m.exec(readFileSync(README, 'utf8'))?.[0];
    expect([...(row ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(formatNames());
  });

  it('names every field', () => {
    const text = readFileSync(README, 'utf8');
    expect(FIELD_NAMES.filter((field) => !new RegExp(`[\\s\`]${field}[\\s\`]`).test(text))).toEqual([]);
  });
});
