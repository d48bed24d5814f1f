import { edited, newViolations, type EditedData, type RuleCase } from '../testing/edited-catalogue.ts';
import { publishedImmutable } from './changes.ts';
import { windowsBuilds } from './windows-builds.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const build = (data: EditedData, version: string, path: string, sha256: string) =>
  (data.release(version).windows = { builds: { 'nts-vs17-x64': { zip: { path, sha256 } } } });
const ZIP = 'php-8.4.24-nts-Win32-vs17-x64.zip';
const OTHER = 'php-8.5.9-nts-Win32-vs17-x64.zip';

const cases: RuleCase[] = [
  {
    title: 'builds of a release',
    rule: windowsBuilds,
    edit: (data) => build(data, '8.4.24', ZIP, A),
    finds: [],
  },
  {
    title: 'builds of another version',
    rule: windowsBuilds,
    edit: (data) => build(data, '8.4.24', OTHER, A),
    finds: [`error windows-builds branches/8.4.json#/current/windows 8.4.24 ${OTHER} ${A}`],
  },
  {
    title: 'a digest that another release has',
    rule: windowsBuilds,
    edit: (data) => {
      build(data, '8.4.24', ZIP, A);
      build(data, '8.5.9', OTHER, A);
    },
    finds: [`error windows-builds branches/8.5.json#/current/windows 8.5.9 ${OTHER} ${A}`],
  },
  {
    title: 'added to what is published',
    rule: publishedImmutable,
    edit: (data) => build(data, '8.4.24', ZIP, A),
    finds: [],
  },
  {
    title: 'replaced',
    rule: publishedImmutable,
    from: edited((data) => build(data, '8.4.24', ZIP, A)),
    edit: (data) => build(data, '8.4.24', ZIP, B),
    finds: [
      'error published-immutable branches/8.4.json#/current/windows/builds/nts-vs17-x64/zip/sha256 8.4.24 /windows/builds/nts-vs17-x64/zip/sha256',
    ],
  },
  {
    title: 'removed',
    rule: publishedImmutable,
    from: edited((data) => build(data, '8.4.24', ZIP, A)),
    edit: (data) => delete data.release('8.4.24').windows,
    finds: ['error published-immutable branches/8.4.json#/current/windows 8.4.24 /windows'],
  },
];

describe('rules about builds for Windows', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});
