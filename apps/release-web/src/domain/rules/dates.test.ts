import { newFindings, type RuleCase } from '../../../test/data/edited-catalogue.ts';
import { calendarDates, entryDate, fileDate, releaseDate, revisionAhead, thursday } from './dates.ts';

const CURRENT = 'branches/8.4.json#/current';

const cases: RuleCase[] = [
  ...['31 Nov 2024', '30 Jull 2026', '4 Marc 2026', '0 Jan 2026'].map((text) => ({
    title: `"${text}" is no day; PHP shifts it without a word`,
    rule: calendarDates,
    edit: (data: Parameters<RuleCase['edit']>[0]) => (data.release('8.4.24').published.date = text),
    finds: [`error calendar-date ${CURRENT}/published/date branches/8.4.json ${text}`],
  })),
  {
    title: '29 February of a year that has none',
    rule: calendarDates,
    edit: (data) => (data.branch('8.6').expected = '2027-02-29'),
    finds: ['error calendar-date branches/8.6.json#/expected branches/8.6.json 2027-02-29'],
  },
  {
    title: '29 February of a leap year is fine',
    rule: calendarDates,
    edit: (data) => (data.branch('8.6').expected = '2028-02-29'),
    finds: [],
  },
  {
    title: 'an override, a file, a build and an instant that do not exist',
    rule: calendarDates,
    edit: (data) => {
      data.branch('8.4').overrides = { date: '2024-11-31' };
      data.source('8.4.24').date = '32 Jul 2026';
      data.build('8.4.25').release.date = '31 June 2026';
      data.branch('8.4').updated = '2026-08-13T24:00:00Z';
    },
    finds: [
      'error calendar-date branches/8.4.json#/overrides/date branches/8.4.json 2024-11-31',
      `error calendar-date ${CURRENT}/published/source/0/date branches/8.4.json 32 Jul 2026`,
      'error calendar-date branches/8.4.json#/pre_releases/0/release/date branches/8.4.json 31 June 2026',
      'error calendar-date branches/8.4.json#/updated branches/8.4.json 2026-08-13T24:00:00Z',
    ],
  },
  {
    title: 'two dates for one release',
    rule: releaseDate,
    edit: (data) => (data.release('8.4.24').date = '2026-07-31'),
    finds: [`error release-date ${CURRENT}/date 8.4.24 2026-07-31 "30 Jul 2026"`],
  },
  {
    title: 'another wording of the same day is fine',
    rule: releaseDate,
    edit: (data) => (data.release('8.4.24').published.date = '30 July 2026'),
    finds: [],
  },
  {
    title: 'a file with the date of its candidate',
    rule: fileDate,
    edit: (data) => (data.source('8.4.24', 1).date = '16 Jul 2026'),
    finds: [`error file-date ${CURRENT}/published/source/1/date 8.4.24 php-8.4.24.tar.bz2 16 Jul 2026`],
  },
  {
    title: 'a file without a date is judged by its release',
    rule: fileDate,
    edit: (data) => delete data.source('8.4.24', 1).date,
    finds: [],
  },
  {
    title: 'the wrong year, as 7.3.26 had',
    rule: entryDate,
    edit: (data) => data.promote('8.4.25', { date: new Date('2025-08-27') }),
    finds: [`error entry-date ${CURRENT}/date 8.4.25 2025-08-27`],
  },
  {
    title: 'the date of the candidate, two weeks ago',
    rule: entryDate,
    edit: (data) => data.promote('8.4.25', { date: new Date('2026-08-13') }),
    finds: [`error entry-date ${CURRENT}/date 8.4.25 2026-08-13`],
  },
  {
    title: 'a release without an audit entry is compared with the clock',
    rule: entryDate,
    edit: (data) => {
      data.promote('8.4.25', { date: new Date('2026-08-20') });
      data.branch('8.4').audit = [];
    },
    finds: [`error entry-date ${CURRENT}/date 8.4.25 2026-08-20`],
  },
  {
    title: 'next year',
    rule: entryDate,
    edit: (data) => (data.release('8.4.24').date = '2027-07-30'),
    finds: [`error entry-date ${CURRENT}/date 8.4.24 2027-07-30`],
  },
  {
    title: 'a build of another year',
    rule: entryDate,
    edit: (data) => {
      data.addBuild('8.4.25RC2');
      data.build('8.4.25').release.date = '27 August 2025';
    },
    finds: ['error entry-date branches/8.4.json#/pre_releases/0/release/date 8.4.25RC2 2025-08-27'],
  },
  {
    title: 'a day early or late is fine',
    rule: entryDate,
    edit: (data) => {
      data.promote('8.4.25', { date: new Date('2026-08-28') });
      data.promote('8.5.10', { date: new Date('2026-08-26') });
    },
    finds: [],
  },
  {
    title: 'a release that was recorded in time is fine when it arrives late',
    rule: entryDate,
    edit: (data) => {
      data.promote('8.4.25', { date: new Date('2026-08-14') });
      data.branch('8.4').audit[0]!.at = '2026-08-13T10:00:00Z';
    },
    finds: [],
  },
  {
    title: 'a Wednesday',
    rule: thursday,
    edit: (data) => data.promote('8.4.25', { date: new Date('2026-08-26') }),
    finds: [`warning thursday ${CURRENT}/date 8.4.25 2026-08-26`],
  },
  {
    title: 'a Thursday is usual',
    rule: thursday,
    edit: (data) => data.promote('8.4.25'),
    finds: [],
  },
  {
    title: 'facts that change next year',
    rule: revisionAhead,
    edit: (data) => (data.branch('8.4').updated = '2027-08-27T09:00:00Z'),
    finds: ['error revision-ahead branches/8.4.json#/updated branches/8.4.json 2027-08-27T09:00:00Z'],
  },
  {
    title: 'facts that change now, by a clock that is a little fast',
    rule: revisionAhead,
    edit: (data) => (data.branch('8.4').updated = '2026-08-27T09:05:00Z'),
    finds: [],
  },
];

describe('rules about dates', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newFindings(ruleCase)).toEqual(ruleCase.finds);
  });
});
