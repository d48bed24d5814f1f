import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RULES } from '@workspace/release-catalogue';
import { FROZEN_FOLDER } from '@workspace/release-catalogue/testing';
import { cli } from './run-cli.ts';

const text = readFileSync(join(__dirname, '../../../apps/release-web/docs/publishing.md'), 'utf8');

/** The first column of the table under a heading. */
const names = (heading: string): string[] =>
  [
    ...text
      .split(`## ${heading}`)[1]!
      .split('\n## ')[0]!
      .matchAll(/^\| `([a-z-]+)/gm),
  ].map(([, name]) => name!);

describe('docs/publishing.md', () => {
  it('lists every rule', () => expect(names('Rules').sort()).toEqual(Object.keys(RULES).sort()));

  it('lists every command', async () => {
    const { out } = await cli(FROZEN_FOLDER, ['--help']);
    const commands = [...out.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name);
    expect(names('Commands')).toEqual(commands);
  });
});
