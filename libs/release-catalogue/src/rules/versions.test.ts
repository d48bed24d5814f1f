import type { SourceLink } from '../schemas/index.ts';
import { edited, itFinds, NOW, REAL } from '../testing/edited-catalogue.ts';
import type { Rule } from './rule.ts';
import {
  ascending,
  filenameOnce,
  releaseNumber,
  sourceFilename,
  versionInBranch,
  versionOnce,
} from './versions.ts';

describe('rules about versions and file names', () => {
  itFinds(versionInBranch, [
    [
      '85.9, which once became a branch',
      (data) => (data.release('8.5.9').version = '85.9.0'),
      'error version-in-branch branches/8.5.json#/current/version 85.9.0',
    ],
    [
      'a slot and a retired build of another branch',
      (data) => {
        data.build('8.4.25').version = '8.5.25';
        data.branch('8.4').retired_builds = [{ version: '8.3.25RC1', sha256: [] }];
      },
      [
        'error version-in-branch branches/8.4.json#/pre_releases/0/version 8.5.25',
        'error version-in-branch branches/8.4.json#/retired_builds/0/version 8.3.25RC1',
      ],
    ],
    ['a higher patch number is of the branch', (data) => (data.release('8.5.9').version = '8.5.90')],
  ]);
  itFinds(versionOnce, [
    [
      'a version twice',
      (data) => (data.release('8.5.9').version = '8.5.8'),
      'error version-once branches/8.5.json#/history/0/version 8.5.8',
    ],
    ['a gap is fine', (data) => (data.release('8.5.9').version = '8.5.11')],
  ]);
  itFinds(ascending, [
    [
      'a date that is not later than that of the release before',
      (data) => (data.release('8.4.24').date = '2026-07-02'),
      'error ascending branches/8.4.json#/current/date 8.4.24 2026-07-02',
    ],
    [
      'the date of the release before, which was withdrawn',
      (data) => {
        data.release('8.4.23').yanked = { date: '2026-08-27', reason: 'x' };
        data.release('8.4.24').date = '2026-07-02';
      },
    ],
    [
      'an earlier date than that of a withdrawn release',
      (data) => {
        data.release('8.4.23').yanked = { date: '2026-08-27', reason: 'x' };
        data.release('8.4.24').date = '2026-07-01';
      },
      'error ascending branches/8.4.json#/current/date 8.4.24 2026-07-01',
    ],
    [
      'a higher version in the history than the current one',
      (data) => (data.release('8.4.23').version = '8.4.30'),
      'error ascending branches/8.4.json#/current/version 8.4.24 8.4.30',
    ],
    ['8.4.10 comes after 8.4.9: numbers are compared, not text', (data) => data.promote('8.4.100')],
  ]);
  itFinds(sourceFilename, [
    [
      'a name that was not bumped, as in 7.3.14 and 7.4.10',
      (data) => (data.source('8.4.24', 1).filename = 'php-8.4.23.tar.bz2'),
      'error source-filename branches/8.4.json#/current/published/source/1 8.4.24 php-8.4.23.tar.bz2',
    ],
    [
      'a file listed twice',
      (data) => (data.source('8.4.24', 1).filename = 'php-8.4.24.tar.gz'),
      'error source-filename branches/8.4.json#/current/published/source/1 8.4.24 php-8.4.24.tar.gz',
    ],
    [
      'a page instead of files in a new release',
      (data) => {
        data.promote('8.4.25');
        const link: SourceLink = { link: '/downloads', name: 'Source' };
        data.release('8.4.25').published.source = [link];
      },
      'error source-filename branches/8.4.json#/current/published/source/0 8.4.25 /downloads',
    ],
    ['an archive less is fine', (data) => data.release('8.4.24').published.source.pop()],
    [
      'an imported page instead of files, and the same page twice',
      (data) => {
        const link: SourceLink = { link: '/downloads', name: 'Source' };
        data.release('8.4.23').published.source = [link, link];
      },
    ],
  ]);
  itFinds(filenameOnce, [
    [
      'one file of two releases',
      (data) => (data.source('8.4.24', 1).filename = 'php-8.4.23.tar.bz2'),
      'error filename-once branches/8.4.json#/history/0/published/source/1/filename 8.4.23 php-8.4.23.tar.bz2',
    ],
    ['a new release has new names', (data) => data.promote('8.4.25')],
  ]);
  itFinds(releaseNumber, [
    [
      '8.4.52 for 8.4.25',
      (data) => data.promote('8.4.52'),
      'error release-number branches/8.4.json#/current/version 8.4.52',
    ],
    [
      '8.4.52 with a reason, of the release or of its build',
      (data) => {
        const at = '2026-08-27T09:00:00Z';
        data.promote('8.4.52');
        data.branch('8.4').audit.push({ at, action: 'correct', version: '8.4.52', reason: 'x' });
        data.promote('8.5.52');
        data.branch('8.5').audit.push({ at, action: 'add-pre-release', version: '8.5.52RC1', reason: 'x' });
      },
    ],
    [
      'an entry without a reason, or of another version, explains no gap',
      (data) => {
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
      'error release-number branches/8.4.json#/current/version 8.4.52',
    ],
    ['the next number', (data) => data.promote('8.4.25')],
    [
      'a slot beyond the next one',
      (data) => (data.build('8.4.25').version = '8.4.27'),
      'error release-number branches/8.4.json#/pre_releases/0/version 8.4.27',
    ],
    [
      'a slot before a release closes the gap',
      (data) => {
        data.branch('8.4').history.unshift(structuredClone(data.release('8.4.24')));
        data.branch('8.4').current!.version = '8.4.26';
      },
    ],
    [
      'X.Y.1 without X.Y.0',
      (data) => data.promote('8.6.1'),
      'error release-number branches/8.6.json#/current/version 8.6.1',
    ],
    ['X.Y.0 follows nothing', (data) => data.promote('8.6.0')],
  ]);
});

it('a gap that was on record before is a warning, and one without anything to compare with', () => {
  const gap = edited((data) => data.promote('8.4.52'));
  for (const moment of [{ now: NOW, before: gap }, { now: NOW }])
    expect(
      [...releaseNumber(gap, moment)]
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
    [...rule(catalogue, { now: NOW, before: REAL })]
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
