import { edited, itFinds, NOW } from '../testing/edited-catalogue.ts';
import { entryDate, fileDate, releaseDate, thursday } from './dates.ts';

const CURRENT = 'branches/8.4.json#/current';

describe('rules about dates', () => {
  itFinds(releaseDate, [
    [
      'two dates for one release',
      (data) => (data.release('8.4.24').date = '2026-07-31'),
      `error release-date ${CURRENT}/date 8.4.24 2026-07-31 "30 Jul 2026"`,
    ],
    [
      'another wording of the same day is fine',
      (data) => (data.release('8.4.24').published.date = '30 July 2026'),
    ],
  ]);
  itFinds(fileDate, [
    [
      'a file with the date of its candidate',
      (data) => (data.source('8.4.24', 1).date = '16 Jul 2026'),
      `error file-date ${CURRENT}/published/source/1/date 8.4.24 php-8.4.24.tar.bz2 16 Jul 2026`,
    ],
    ['a file without a date is judged by its release', (data) => delete data.source('8.4.24', 1).date],
    [
      'a file for Windows has a date of its own',
      (data) =>
        (data.release('8.4.24').published.windows = [{ filename: 'x.zip', name: 'x', date: '31 Jul 2026' }]),
    ],
  ]);
  itFinds(entryDate, [
    [
      'the wrong year, as 7.3.26 had',
      (data) => data.promote('8.4.25', { date: new Date('2025-08-27') }),
      `error entry-date ${CURRENT}/date 8.4.25 2025-08-27`,
    ],
    [
      'the date of the candidate, two weeks ago',
      (data) => data.promote('8.4.25', { date: new Date('2026-08-13') }),
      `error entry-date ${CURRENT}/date 8.4.25 2026-08-13`,
    ],
    [
      'a release without an audit entry is compared with the clock',
      (data) => {
        data.promote('8.4.25', { date: new Date('2026-08-20') });
        data.branch('8.4').audit = [];
      },
      `error entry-date ${CURRENT}/date 8.4.25 2026-08-20`,
    ],
    [
      'next year',
      (data) => (data.release('8.4.24').date = '2027-07-30'),
      `error entry-date ${CURRENT}/date 8.4.24 2027-07-30`,
    ],
    [
      'a build of another year',
      (data) => {
        data.addBuild('8.4.25RC2');
        data.build('8.4.25').release.date = '27 August 2025';
      },
      'error entry-date branches/8.4.json#/pre_releases/0/release/date 8.4.25RC2 2025-08-27',
    ],
    [
      'a day early or late is fine',
      (data) => {
        data.promote('8.4.25', { date: new Date('2026-08-28') });
        data.promote('8.5.10', { date: new Date('2026-08-26') });
      },
    ],
    [
      'a release that was recorded in time is fine when it arrives late',
      (data) => {
        data.promote('8.4.25', { date: new Date('2026-08-14') });
        data.branch('8.4').audit[0]!.at = '2026-08-13T10:00:00Z';
      },
    ],
    [
      'three days before and after what the audit says are fine',
      (data) => {
        data.promote('8.4.25', { date: new Date('2026-08-24') });
        data.branch('8.4').audit[0]!.at = '2026-08-27T00:00:00Z';
        data.promote('8.5.10', { date: new Date('2026-08-27') });
        data.branch('8.5').audit[0]!.at = '2026-08-24T00:00:00Z';
      },
    ],
    [
      'more than three days before and after what the audit says',
      (data) => {
        data.promote('8.4.25', { date: new Date('2026-08-24') });
        data.branch('8.4').audit[0]!.at = '2026-08-27T00:00:01Z';
        data.promote('8.5.10', { date: new Date('2026-08-27') });
        data.branch('8.5').audit[0]!.at = '2026-08-23T23:59:59Z';
      },
      [
        'error entry-date branches/8.4.json#/current/date 8.4.25 2026-08-24',
        'error entry-date branches/8.5.json#/current/date 8.5.10 2026-08-27',
      ],
    ],
    [
      'a release that was taken over may be old, not of the future',
      (data) => {
        data.promote('8.4.25', { date: new Date('2025-08-27') });
        data.branch('8.4').audit[0]!.action = 'import';
        data.promote('8.5.10', { date: new Date('2026-09-01') });
        data.branch('8.5').audit[0]!.action = 'import';
      },
      'error entry-date branches/8.5.json#/current/date 8.5.10 2026-09-01',
    ],
    [
      'a build that was recorded in time',
      (data) => {
        data.addBuild('8.4.25RC2');
        data.build('8.4.25').release.date = '13 August 2026';
        data.branch('8.4').audit.at(-1)!.at = '2026-08-13T10:00:00Z';
      },
    ],
    [
      'a correction does not say when a release came on record',
      (data) =>
        data.branch('8.4').audit.push({ at: '2026-08-27T09:00:00Z', action: 'correct', version: '8.4.24' }),
    ],
    [
      'a slot whose build is still to come has no date',
      (data) => (data.build('8.2.27').release.date = '28 August 2027'),
    ],
  ]);
  itFinds(thursday, [
    [
      'a Wednesday',
      (data) => data.promote('8.4.25', { date: new Date('2026-08-26') }),
      `warning thursday ${CURRENT}/date 8.4.25 2026-08-26`,
    ],
    ['a Thursday is usual', (data) => data.promote('8.4.25')],
    [
      'a build on a Friday',
      (data) => {
        data.addBuild('8.4.25RC2');
        data.build('8.4.25').release.date = '28 August 2026';
      },
      'warning thursday branches/8.4.json#/pre_releases/0/release/date 8.4.25RC2 2026-08-28',
    ],
  ]);
  for (const rule of [entryDate, thursday])
    itFinds(rule, [
      [
        'a day that does not exist, and no day, are for another rule',
        (data) => {
          data.promote('8.4.25');
          data.release('8.4.25').date = '2027-02-29';
          data.addBuild('8.5.10RC2');
          data.build('8.5.10').release.date = '29 February 2027';
          data.addBuild('8.6.0beta2');
          delete data.build('8.6.0').release.date;
        },
      ],
    ]);
});

it('new releases and builds are only known by comparison', () => {
  const wednesday = edited((data) => {
    data.promote('8.4.25', { date: new Date('2026-08-19') });
    data.branch('8.4').audit = [];
  });
  expect([...thursday(wednesday, { now: NOW })]).toEqual([]);
  expect([...entryDate(wednesday, { now: NOW })]).toEqual([]);
});

it('three days ahead of the clock are fine, to the second', () => {
  const ahead = edited((data) => (data.release('8.4.24').date = '2026-08-30'));
  expect([...entryDate(ahead, { now: new Date('2026-08-27T00:00:00Z') })]).toEqual([]);
  expect(
    [...entryDate(ahead, { now: new Date('2026-08-26T23:59:59Z') })].map(({ detail }) => detail),
  ).toEqual(['8.4.24 is dated 2026-08-30, more than 3 days off: the clock says 2026-08-26']);
});

it('says when an entry came on record', () => {
  const early = edited((data) => data.promote('8.4.25', { date: new Date('2026-08-13') }));
  expect([...entryDate(early, { now: NOW })].map(({ detail }) => detail)).toEqual([
    '8.4.25 is dated 2026-08-13, more than 3 days off: it came on record on 2026-08-27',
  ]);
});
