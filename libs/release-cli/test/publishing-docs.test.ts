import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES } from '@workspace/release-catalogue';
import { FROZEN_FOLDER } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

const page = (name: string): string =>
  readFileSync(join(__dirname, '../../../apps/release-web/docs', name), 'utf8');

/** The names that rows of the table, or items of the list, under a heading of a page begin with. */
const names = (text: string, heading: string): string[] =>
  [
    ...text
      .split(`# ${heading}\n`)[1]!
      .split('\n## ')[0]!
      .matchAll(/^(?:\| |- )`([a-z-]+)`/gm),
  ].map(([, name]) => name!);

it('docs/rules.md lists every rule', () => {
  expect(names(page('rules.md'), 'Rules of release data').sort()).toEqual(Object.keys(RULES).sort());
});

it('docs/publishing.md lists every command', async () => {
  const { out } = await cli(FROZEN_FOLDER, ['--help']);
  const commands = [...out.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name);
  expect(names(page('publishing.md'), 'Commands')).toEqual(commands);
});
