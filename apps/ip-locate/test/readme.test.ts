import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { commonProblems } from '@workspace/service-kit';
import { environmentRows, problemRows, readmeTable } from '@workspace/testing';
import { Config } from '../src/config.ts';
import { FIELD_NAMES } from '../src/http/lookup/fields.ts';
import { formatNames, formatType } from '../src/http/lookup/formats/formats.ts';
import { problems } from '../src/problems.ts';
import { DOCUMENTS, PROJECT } from './documents.ts';

const page = (name: string): string => join(PROJECT, 'docs', name);

/** What GitHub makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (text = ''): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!));

describe('the documentation', () => {
  it('has the environment of the schema', () => {
    expect(readmeTable(page('settings.md'), 'Environment')).toEqual(environmentRows(Config));
  });

  it('has the problems of the catalogue', () => {
    expect(readmeTable(page('errors.md'), 'Errors')).toEqual(problemRows(problems, commonProblems));
  });

  it('has every format with its type', () => {
    const rows = readmeTable(page('api.md'), 'Formats').map(([name, type]) => [name, type]);
    expect(rows).toEqual(formatNames().map((name) => [name, formatType(name)]));
    const row = /^\| `\/\{ip\}\/\{format\}` .*/m.exec(DOCUMENTS.get('README.md')!)?.[0];
    expect([...(row ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(formatNames());
  });

  it('has every field', () => {
    const names = readmeTable(page('fields.md'), 'Fields').flatMap(([cell]) => cell!.split(', '));
    expect(names.toSorted()).toEqual(FIELD_NAMES.toSorted());
  });

  it.each([...DOCUMENTS])('has no dead link to the project in %s', (file, text) => {
    const links = [...text.matchAll(/(?:\]\(|src=")((?!https?:)[^)"\s]+)/g)].map(([, link]) => link!);
    const dead = links.filter((link) => {
      const [path, anchor] = link.split('#');
      const target = path ? normalize(join(dirname(file), path)) : file;
      if (target.startsWith('..')) return false;
      const known = anchor === undefined || anchorsOf(DOCUMENTS.get(target)).includes(anchor);
      return !known || !existsSync(join(PROJECT, target));
    });
    expect(dead).toEqual([]);
  });
});
