import { join } from 'node:path';
import { readmeTable } from '@workspace/testing';
import { Config } from '../src/config.ts';
import { inheritedProblems, problems } from '../src/problems.ts';

const readme = join(__dirname, '../README.md');

describe('README', () => {
  it('lists every variable with its default and meaning, and no other', () => {
    const expected = Object.entries(Config.properties).map(([name, property]) => [
      name,
      String((property as { default?: unknown }).default ?? ''),
      String(property.description).replaceAll('`', ''),
    ]);
    expect(readmeTable(readme, 'Variables')).toEqual(expected);
  });

  it('lists every problem by status and code', () => {
    const expected = [...inheritedProblems, ...Object.values(problems)]
      .sort((a, b) => a.status - b.status)
      .map(({ status, code, title }) => [String(status), code, title]);
    expect(readmeTable(readme, 'Errors').map((row) => row.slice(0, 3))).toEqual(expected);
  });
});
