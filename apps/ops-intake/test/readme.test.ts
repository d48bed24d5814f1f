import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedSettings, problemRows, readmeTable, settingsOf } from '@workspace/testing';
import { Type } from '@sinclair/typebox';
import { Config } from '../src/config.ts';
import { MEMBERS, OPERATIONS } from '../src/domain/operation.ts';
import { options } from '../src/features.ts';
import { inheritedProblems, problems } from '../src/problems.ts';

const PROJECT = join(__dirname, '..');
const page = (name: string): string => join(PROJECT, 'docs', name);
describe('the documentation', () => {
  it('has each setting once, with its default', () => {
    const common = ['Process and listeners', 'Trusted proxies', 'Client addresses', 'OpenTelemetry'];
    expect(documentedSettings('ops-intake', common)).toEqual(settingsOf(Config));
  });

  it.each(options)('has the settings and problems of $name on its page', ({ name, ...option }) => {
    const file = join(PROJECT, 'src/features', name, 'README.md');
    const byName = (rows: unknown[][]) => rows.toSorted(([a], [b]) => String(a).localeCompare(String(b)));
    const withoutLinks = (rows: string[][]) =>
      rows.map((row) => row.map((cell) => cell.replaceAll('../../../docs/', '')));
    const settings = Object.keys(option.settings).length === 0 ? [] : readmeTable(file, 'Environment');
    expect(byName(withoutLinks(settings))).toEqual(settingsOf(Type.Object({ ...option.settings })));
    const expected = problemRows(option.problems ?? {});
    expect(expected.length === 0 ? [] : readmeTable(file, 'Errors')).toEqual(expected);
  });

  it('names every member and every kind of operation', () => {
    const members = new Map(
      readmeTable(page('submitting.md'), 'Submitting operations').map(([name, text]) => [name, text]),
    );
    expect([...members.keys()]).toEqual([...MEMBERS.keys()]);
    const kinds = [...members.get('operation')!.matchAll(/"([\w-]+)"/g)].map(([, kind]) => kind);
    expect(kinds).toEqual([...OPERATIONS]);
  });

  it('lists every problem by status and code', () => {
    const expected = [...inheritedProblems, ...Object.values(problems)].sort((a, b) => a.status - b.status);
    expect(readmeTable(page('errors.md'), 'Errors')).toEqual(
      problemRows(Object.fromEntries(expected.map((type) => [type.code, type]))),
    );
  });

  it('lists every check of /health', () => {
    const listed = [...readFileSync(page('operations.md'), 'utf8').matchAll(/^- `([a-z-]+:[a-z-]+)`/gm)];
    const source = readFileSync(join(PROJECT, 'src/http/health/health-body.ts'), 'utf8');
    const checks = new Set([...source.matchAll(/'([a-z-]+:[a-z-]+)': ?/g)].map(([, name]) => name));
    expect(checks.size).toBeGreaterThan(10);
    expect(listed.map(([, name]) => name).toSorted()).toEqual([...checks].toSorted());
  });

  it('names a test or a scenario that is there in each entry of the guarantees', () => {
    const root = join(PROJECT, '../..');
    const files = globSync('{apps/ops-intake,libs/kafka-producer}/{src,test,e2e}/**/*.ts', { cwd: root });
    const scenarios = files
      .filter((file) => file.includes('/scenarios/'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join();
    const isThere = (name: string): boolean =>
      files.some((file) => file.endsWith(`/${name}`)) || scenarios.includes(`id: '${name}'`);
    const [, faults] = readFileSync(page('guarantees.md'), 'utf8').split('## What holds under which fault\n');
    const entries = faults!.match(/^- .*$/gm)!;
    const named = entries.map((entry) => entry.match(/[\w-]+\.test\.ts|\b[FKCRB]\d+\b/g));
    expect(named.filter((names) => names === null)).toEqual([]);
    const missing = named.flatMap((names) => names!.filter((name) => !isThere(name)));
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(15);
  });
});
