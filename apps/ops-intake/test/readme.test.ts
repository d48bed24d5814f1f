import { join } from 'node:path';
import { documentedSettings, readmeTable, settingsOf } from '@workspace/testing';
import { Config } from '../src/config.ts';
import { inheritedProblems, problems } from '../src/problems.ts';

const PROJECT = join(__dirname, '..');
const page = (name: string): string => join(PROJECT, 'docs', name);

describe('the documentation', () => {
  it('has each setting once, with its default', () => {
    const common = ['Process and listeners', 'Client addresses', 'OpenTelemetry'];
    expect(documentedSettings('ops-intake', common)).toEqual(settingsOf(Config));
  });

  it('lists every problem by status and code', () => {
    const expected = [...inheritedProblems, ...Object.values(problems)]
      .sort((a, b) => a.status - b.status)
      .map(({ status, code, title }) => [String(status), code, title]);
    expect(readmeTable(page('errors.md'), 'Errors').map((row) => row.slice(0, 3))).toEqual(expected);
  });
});
