import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { commonProblems } from '@workspace/service-kit/problems';
import { documentedSettings, problemRows, readmeTable, settingsOf } from '@workspace/testing';
import { Config } from '../src/config.ts';
import { options } from '../src/features.ts';
import { FIELD_NAMES } from '../src/http/lookup/fields.ts';
import { formatNames, formatType } from '../src/http/lookup/formats/formats.ts';
import { problems } from '../src/problems.ts';
import { DOCUMENTS, PROJECT } from './documents.ts';

const page = (name: string): string => join(PROJECT, 'docs', name);

describe('the documentation', () => {
  it('has each setting once, with its default', () => {
    const common = ['Process and listeners', 'Trusted proxies', 'Client addresses', 'OpenTelemetry'];
    expect(documentedSettings('ip-locate', common)).toEqual(settingsOf(Config));
  });

  it('has the problems of the catalogue', () => {
    expect(readmeTable(page('errors.md'), 'Errors')).toEqual(problemRows(problems, commonProblems));
  });

  it.each(options)('has the settings and problems of $name on its page', (option) => {
    const { name, problems: own = {}, settings = {} } = option;
    const file = join(PROJECT, 'src/features', name, 'README.md');
    const rows = Object.keys(settings).length === 0 ? [] : readmeTable(file, 'Environment');
    expect(rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b))).toEqual(
      settingsOf(Type.Object(settings)),
    );
    const listed = Object.keys(own).length === 0 ? [] : readmeTable(file, 'Errors');
    expect(listed).toEqual(problemRows(own));
  });

  it('has every format with its type', () => {
    const rows = readmeTable(page('api.md'), 'Formats').map(([name, type]) => [name, type]);
    expect(rows).toEqual(formatNames().map((name) => [name, formatType(name)]));
    const row = /^- `\/\{ip\}\/\{format\}`: .*/m.exec(DOCUMENTS.get('README.md')!)?.[0];
    expect([...(row ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(formatNames());
  });

  it('has every field', () => {
    const names = readmeTable(page('fields.md'), 'Fields').flatMap(([cell]) => cell!.split(', '));
    expect(names.toSorted()).toEqual(FIELD_NAMES.toSorted());
  });
});
