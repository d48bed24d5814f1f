import { edited, itFinds, NOW, type RuleRow } from '../testing/edited-catalogue.ts';
import { calendarDates, revisionAhead } from './calendar-dates.ts';

const CURRENT = 'branches/8.4.json#/current';

describe('the rule about days that exist', () => {
  itFinds(calendarDates, [
    ...['31 Nov 2024', '30 Jull 2026', '4 Marc 2026', '0 Jan 2026'].map((text): RuleRow => [
      `"${text}" is no day; PHP shifts it without a word`,
      (data) => (data.release('8.4.24').published.date = text),
      `error calendar-date ${CURRENT}/published/date branches/8.4.json ${text}`,
    ]),
    [
      '29 February of a year that is not a leap year',
      (data) => (data.branch('8.6').expected = '2027-02-29'),
      'error calendar-date branches/8.6.json#/expected branches/8.6.json 2027-02-29',
    ],
    ['29 February of a leap year is fine', (data) => (data.branch('8.6').expected = '2028-02-29')],
    [
      'support without an end, as year 9999, and a year of two digits',
      (data) => {
        data.branch('8.4').overrides = { security: '9999-12-31' };
        data.branch('8.6').expected = '0027-11-19';
      },
      [
        'error calendar-date branches/8.4.json#/overrides/security branches/8.4.json 9999-12-31',
        'error calendar-date branches/8.6.json#/expected branches/8.6.json 0027-11-19',
      ],
    ],
    [
      'an override, a file, a build and an instant that do not exist',
      (data) => {
        data.branch('8.4').overrides = { date: '2024-11-31' };
        data.source('8.4.24').date = '32 Jul 2026';
        data.build('8.4.25').release.date = '31 June 2026';
        data.branch('8.4').updated = '2026-08-13T24:00:00Z';
      },
      [
        'error calendar-date branches/8.4.json#/updated branches/8.4.json 2026-08-13T24:00:00Z',
        'error calendar-date branches/8.4.json#/overrides/date branches/8.4.json 2024-11-31',
        `error calendar-date ${CURRENT}/published/source/0/date branches/8.4.json 32 Jul 2026`,
        'error calendar-date branches/8.4.json#/pre_releases/0/release/date branches/8.4.json 31 June 2026',
      ],
    ],
    [
      'instants of files and of news that do not exist',
      ({ catalogue }) => {
        Object.assign(catalogue, { newsUpdated: '2026-13-45T00:00:00Z' });
        catalogue.product.updated = '2026-08-13T25:00:00Z';
        catalogue.news[0]!.published = '2026-02-30T00:00:00Z';
      },
      [
        'error calendar-date product.json#/updated product.json 2026-08-13T25:00:00Z',
        'error calendar-date news.json#/updated news.json 2026-13-45T00:00:00Z',
        'error calendar-date news.json#/items news.json 2026-02-30T00:00:00Z',
      ],
    ],
    [
      'an instant at which no release came out, without which no feed can be made',
      (data) => (data.release('8.4.24').feed = { id: 'urn:x', published: '2026-13-01T00:00:00Z' }),
      `error calendar-date ${CURRENT}/feed/published branches/8.4.json 2026-13-01T00:00:00Z`,
    ],
    [
      'what a correction has corrected need not exist',
      (data) =>
        data.branch('8.4').audit.push({
          at: '2026-08-27T09:00:00Z',
          action: 'correct',
          version: '8.4.23',
          changes: [{ pointer: '/yanked', from: { date: '2026-02-30', reason: 'x' } }],
        }),
    ],
    [
      'the last day that is taken, and the day after',
      (data) => {
        data.branch('8.4').overrides = { date: '2024-11-21', security: '2199-12-31' };
        data.branch('8.6').expected = '2200-01-01';
      },
      'error calendar-date branches/8.6.json#/expected branches/8.6.json 2200-01-01',
    ],
    [
      'a release, a withdrawal, a retired build and an audit entry on days that do not exist',
      (data) => {
        data.release('8.4.24').date = '2026-02-30';
        data.release('8.4.23').yanked = { date: '2026-02-31', reason: 'x' };
        data.branch('8.4').retired_builds = [
          { version: '8.4.24RC1', sha256: [] },
          { version: '8.4.24RC2', sha256: [], date: '31 June 2026' },
        ];
        data.branch('8.4').audit = [
          { at: '2026-08-27T09:00:00Z', action: 'correct', version: '8.4.24' },
          { at: '2026-08-27T09:00:60Z', action: 'correct', version: '8.4.24' },
          { at: '2026-02-30T09:00:00Z', action: 'correct', version: '8.4.24' },
        ];
      },
      [
        `error calendar-date ${CURRENT}/date branches/8.4.json 2026-02-30`,
        'error calendar-date branches/8.4.json#/history/0/yanked/date branches/8.4.json 2026-02-31',
        'error calendar-date branches/8.4.json#/retired_builds/1/date branches/8.4.json 31 June 2026',
        'error calendar-date branches/8.4.json#/audit/1/at branches/8.4.json 2026-08-27T09:00:60Z',
        'error calendar-date branches/8.4.json#/audit/2/at branches/8.4.json 2026-02-30T09:00:00Z',
      ],
    ],
  ]);
});

it('says what is wrong with a day, and nothing about others', () => {
  const catalogue = edited((data) => {
    data.branch('8.4').overrides = { date: '2024-11-31', security: '9999-12-31' };
    data.branch('8.4').retired_builds = [{ version: '8.4.24RC1', sha256: [] }];
  });
  expect([...calendarDates(catalogue, { now: NOW })].map(({ detail }) => detail)).toEqual([
    '"2024-11-31" is not a day of the calendar',
    '"9999-12-31" is later than 2199-12-31',
  ]);
});

describe('the rule about instants to come', () => {
  itFinds(revisionAhead, [
    [
      'facts that change next year',
      (data) => (data.branch('8.4').updated = '2027-08-27T09:00:00Z'),
      'error revision-ahead branches/8.4.json#/updated branches/8.4.json 2027-08-27T09:00:00Z',
    ],
    [
      'facts that change now, by a clock that is a little fast',
      (data) => (data.branch('8.4').updated = '2026-08-27T09:05:00Z'),
    ],
    [
      'news of next year, and a file of news that changes then',
      ({ catalogue }) => {
        Object.assign(catalogue, { newsUpdated: '2027-01-01T00:00:00Z' });
        catalogue.news[0]!.published = '2027-01-02T00:00:00Z';
      },
      [
        'error revision-ahead news.json#/updated news.json 2027-01-01T00:00:00Z',
        'error revision-ahead news.json#/items news.json 2027-01-02T00:00:00Z',
      ],
    ],
    [
      'a clock that is a day fast, to the second',
      (data) => {
        data.branch('8.4').updated = '2026-08-28T09:00:00Z';
        data.branch('8.5').updated = '2026-08-28T09:00:01Z';
      },
      'error revision-ahead branches/8.5.json#/updated branches/8.5.json 2026-08-28T09:00:01Z',
    ],
    [
      'a product and an item of news of next year',
      ({ catalogue }) => {
        catalogue.product.updated = '2027-01-01T00:00:00Z';
        catalogue.news[0]!.updated = '2027-01-02T00:00:00Z';
      },
      [
        'error revision-ahead product.json#/updated product.json 2027-01-01T00:00:00Z',
        'error revision-ahead news.json#/items news.json 2027-01-02T00:00:00Z',
      ],
    ],
  ]);
});
