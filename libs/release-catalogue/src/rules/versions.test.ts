import type { SourceLink } from '../schemas/index.ts';
import { edited, newViolations, NOW, REAL, type RuleCase } from '../testing/edited-catalogue.ts';
import type { Rule } from './rule.ts';
import {
  ascending,
  filenameOnce,
  releaseNumber,
  sourceFilename,
  versionInBranch,
  versionOnce,
} from './versions.ts';

const cases: RuleCase[] = [
  {
    title: '85.9, which once became a branch',
    rule: versionInBranch,
    edit: (data) => (data.release('8.5.9').version = '85.9.0'),
    finds: ['error version-in-branch branches/8.5.json#/current/version 85.9.0'],
  },
  {
    title: 'a slot and a retired build of another branch',
    rule: versionInBranch,
    edit: (data) => {
      data.build('8.4.25').version = '8.5.25';
      data.branch('8.4').retired_builds = [{ version: '8.3.25RC1', sha256: [] }];
    },
    finds: [
      'error version-in-branch branches/8.4.json#/pre_releases/0/version 8.5.25',
      'error version-in-branch branches/8.4.json#/retired_builds/0/version 8.3.25RC1',
    ],
  },
  {
    title: 'a higher patch number is of the branch',
    rule: versionInBranch,
    edit: (data) => (data.release('8.5.9').version = '8.5.90'),
    finds: [],
  },
  {
    title: 'a version twice',
    rule: versionOnce,
    edit: (data) => (data.release('8.5.9').version = '8.5.8'),
    finds: ['error version-once branches/8.5.json#/history/0/version 8.5.8'],
  },
  {
    title: 'a gap is fine',
    rule: versionOnce,
    edit: (data) => (data.release('8.5.9').version = '8.5.11'),
    finds: [],
  },
  {
    title: 'a date that is not later than that of the release before',
    rule: ascending,
    edit: (data) => (data.release('8.4.24').date = '2026-07-02'),
    finds: ['error ascending branches/8.4.json#/current/date 8.4.24 2026-07-02'],
  },
  {
    title: 'the date of the release before, which was withdrawn',
    rule: ascending,
    edit: (data) => {
      data.release('8.4.23').yanked = { date: '2026-08-27', reason: 'x' };
      data.release('8.4.24').date = '2026-07-02';
    },
    finds: [],
  },
  {
    title: 'an earlier date than that of a withdrawn release',
    rule: ascending,
    edit: (data) => {
      data.release('8.4.23').yanked = { date: '2026-08-27', reason: 'x' };
      data.release('8.4.24').date = '2026-07-01';
    },
    finds: ['error ascending branches/8.4.json#/current/date 8.4.24 2026-07-01'],
  },
  {
    title: 'a higher version in the history than the current one',
    rule: ascending,
    edit: (data) => (data.release('8.4.23').version = '8.4.30'),
    finds: ['error ascending branches/8.4.json#/current/version 8.4.24 8.4.30'],
  },
  {
    title: '8.4.10 comes after 8.4.9: numbers are compared, not text',
    rule: ascending,
    edit: (data) => data.promote('8.4.100'),
    finds: [],
  },
  {
    title: 'a name that was not bumped, as in 7.3.14 and 7.4.10',
    rule: sourceFilename,
    edit: (data) => (data.source('8.4.24', 1).filename = 'php-8.4.23.tar.bz2'),
    finds: ['error source-filename branches/8.4.json#/current/published/source/1 8.4.24 php-8.4.23.tar.bz2'],
  },
  {
    title: 'a file listed twice',
    rule: sourceFilename,
    edit: (data) => (data.source('8.4.24', 1).filename = 'php-8.4.24.tar.gz'),
    finds: ['error source-filename branches/8.4.json#/current/published/source/1 8.4.24 php-8.4.24.tar.gz'],
  },
  {
    title: 'a page instead of files in a new release',
    rule: sourceFilename,
    edit: (data) => {
      data.promote('8.4.25');
      const link: SourceLink = { link: '/downloads', name: 'Source' };
      data.release('8.4.25').published.source = [link];
    },
    finds: ['error source-filename branches/8.4.json#/current/published/source/0 8.4.25 /downloads'],
  },
  {
    title: 'an archive less is fine',
    rule: sourceFilename,
    edit: (data) => data.release('8.4.24').published.source.pop(),
    finds: [],
  },
  {
    title: 'one file of two releases',
    rule: filenameOnce,
    edit: (data) => (data.source('8.4.24', 1).filename = 'php-8.4.23.tar.bz2'),
    finds: [
      'error filename-once branches/8.4.json#/history/0/published/source/1/filename 8.4.23 php-8.4.23.tar.bz2',
    ],
  },
  {
    title: 'a new release has new names',
    rule: filenameOnce,
    edit: (data) => data.promote('8.4.25'),
    finds: [],
  },
  {
    title: '8.4.52 for 8.4.25',
    rule: releaseNumber,
    edit: (data) => data.promote('8.4.52'),
    finds: ['error release-number branches/8.4.json#/current/version 8.4.52'],
  },
  {
    title: '8.4.52 with a reason, of the release or of its build',
    rule: releaseNumber,
    edit: (data) => {
      const at = '2026-08-27T09:00:00Z';
      data.promote('8.4.52');
      data.branch('8.4').audit.push({ at, action: 'correct', version: '8.4.52', reason: 'x' });
      data.promote('8.5.52');
      data.branch('8.5').audit.push({ at, action: 'add-pre-release', version: '8.5.52RC1', reason: 'x' });
    },
    finds: [],
  },
  {
    title: 'an entry without a reason, or of another version, explains no gap',
    rule: releaseNumber,
    edit: (data) => {
      const at = '2026-08-27T09:00:00Z';
      data.promote('8.4.52');
      data
        .branch('8.4')
        .audit.push(
          { at, action: 'correct', version: '8.4.52' },
          { at, action: 'correct', version: '8.4.51RC1', reason: 'x' },
          { at, action: 'correct', version: '8.4.24', reason: 'x' },
        );
    },
    finds: ['error release-number branches/8.4.json#/current/version 8.4.52'],
  },
  {
    title: 'the next number',
    rule: releaseNumber,
    edit: (data) => data.promote('8.4.25'),
    finds: [],
  },
  {
    title: 'a slot beyond the next one',
    rule: releaseNumber,
    edit: (data) => (data.build('8.4.25').version = '8.4.27'),
    finds: ['error release-number branches/8.4.json#/pre_releases/0/version 8.4.27'],
  },
  {
    title: 'a slot before a release closes the gap',
    rule: releaseNumber,
    edit: (data) => {
      data.branch('8.4').history.unshift(structuredClone(data.release('8.4.24')));
      data.branch('8.4').current!.version = '8.4.26';
    },
    finds: [],
  },
  {
    title: 'X.Y.0 follows nothing',
    rule: releaseNumber,
    edit: (data) => data.promote('8.6.0'),
    finds: [],
  },
  {
    title: 'an imported page instead of files, and the same page twice',
    rule: sourceFilename,
    edit: (data) => {
      const link: SourceLink = { link: '/downloads', name: 'Source' };
      data.release('8.4.23').published.source = [link, link];
    },
    finds: [],
  },
];

describe('rules about versions and file names', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});

it('a gap that was on record before is a warning, and one without anything to compare with', () => {
  const gap = edited((data) => data.promote('8.4.52'));
  for (const moment of [{ now: NOW, before: gap }, { now: NOW }])
    expect(
      releaseNumber(gap, moment)
        .filter(({ subject }) => subject === '8.4.52')
        .map(({ severity }) => severity),
    ).toEqual(['warning']);
});

it('says how to go on', () => {
  const catalogue = edited((data) => {
    data.promote('8.4.52', { next: '8.4.60' });
    data.source('8.4.52').filename = 'x';
  });
  const details = (rule: Rule) =>
    rule(catalogue, { now: NOW, before: REAL })
      .filter(({ file, severity }) => file === 'branches/8.4.json' && severity === 'error')
      .map(({ detail }) => detail);
  expect(details(releaseNumber)).toEqual([
    expect.stringMatching(/^8\.4\.52 without 8\.4\.51 .* give a reason with --reason$/),
    expect.stringMatching(/^8\.4\.60 without 8\.4\.59 .* open its slot with add-pre-release and a --reason$/),
  ]);
  expect(details(sourceFilename)).toEqual([
    'x is not one of php-8.4.52.tar.gz, php-8.4.52.tar.bz2, php-8.4.52.tar.xz',
  ]);
});
