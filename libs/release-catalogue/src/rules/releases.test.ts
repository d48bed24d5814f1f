import { edited, newViolations, type RuleCase } from '../testing/edited-catalogue.ts';
import { explicitKind, yank } from './releases.ts';

const cases: RuleCase[] = [
  {
    title: 'a security release without its tag, as 7.4.28',
    rule: explicitKind,
    edit: (data) => (data.release('8.4.24').published.tags = []),
    finds: ['error explicit-kind branches/8.4.json#/current/kind 8.4.24 security'],
  },
  {
    title: 'a new release that leaves it open',
    rule: explicitKind,
    edit: (data) => {
      data.promote('8.4.25');
      data.release('8.4.25').kind = 'unrecorded';
      delete data.release('8.4.25').published.tags;
    },
    finds: ['error explicit-kind branches/8.4.json#/current/kind 8.4.25 unrecorded'],
  },
  {
    title: 'an imported release without tags is as it always was',
    rule: explicitKind,
    edit: (data) => {
      data.release('8.4.23').kind = 'unrecorded';
      delete data.release('8.4.23').published.tags;
    },
    finds: [],
  },
  {
    title: 'withdrawn before it came out',
    rule: yank,
    edit: (data) => (data.release('8.4.24').yanked = { date: '2026-07-29', reason: 'broken' }),
    finds: ['error yank branches/8.4.json#/current/yanked/date 8.4.24 2026-07-29'],
  },
  {
    title: 'withdrawn tomorrow',
    rule: yank,
    edit: (data) => (data.release('8.4.24').yanked = { date: '2026-08-28', reason: 'broken' }),
    finds: ['error yank branches/8.4.json#/current/yanked/date 8.4.24 2026-08-28'],
  },
  {
    title: 'withdrawn on the day it came out is fine',
    rule: yank,
    edit: (data) => (data.release('8.4.24').yanked = { date: '2026-07-30', reason: 'broken' }),
    finds: [],
  },
  {
    title: 'withdrawn on the day it was recorded, before the day it is dated',
    rule: yank,
    edit: (data) => {
      data.promote('8.4.25');
      data.branch('8.4').audit[0]!.at = '2026-08-26T22:00:00Z';
      data.release('8.4.25').yanked = { date: '2026-08-26', reason: 'broken' };
    },
    finds: [],
  },
  {
    title: 'withdrawn before it was recorded and dated',
    rule: yank,
    edit: (data) => {
      data.promote('8.4.25');
      data.branch('8.4').audit[0]!.at = '2026-08-26T22:00:00Z';
      data.release('8.4.25').yanked = { date: '2026-08-25', reason: 'broken' };
    },
    finds: ['error yank branches/8.4.json#/current/yanked/date 8.4.25 2026-08-25'],
  },
  {
    title: 'withdrawn today',
    rule: yank,
    edit: (data) => (data.release('8.4.24').yanked = { date: '2026-08-27', reason: 'broken' }),
    finds: [],
  },
  {
    title: 'a bugfix release with the tag security',
    rule: explicitKind,
    edit: (data) => (data.release('8.4.24').kind = 'bugfix'),
    finds: ['error explicit-kind branches/8.4.json#/current/kind 8.4.24 bugfix'],
  },
  {
    title: 'a bugfix release without tags has to say so',
    rule: explicitKind,
    edit: (data) => {
      data.release('8.4.24').kind = 'bugfix';
      delete data.release('8.4.24').published.tags;
    },
    finds: ['error explicit-kind branches/8.4.json#/current/kind 8.4.24 bugfix'],
  },
  {
    title: 'a new bugfix release',
    rule: explicitKind,
    edit: (data) => data.promote('8.4.25'),
    finds: [],
  },
  {
    title: 'an imported release with tags says what they say',
    rule: explicitKind,
    edit: (data) => (data.release('8.4.23').kind = 'unrecorded'),
    finds: ['error explicit-kind branches/8.4.json#/history/0/kind 8.4.23 unrecorded'],
  },
];

describe('rules about releases', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});

it('says what is missing, and what differs', () => {
  const catalogue = edited((data) => {
    data.release('8.4.24').kind = 'bugfix';
    data.release('8.5.9').kind = 'bugfix';
    delete data.release('8.5.9').published.tags;
  });
  expect(explicitKind(catalogue, {}).map(({ detail }) => detail)).toEqual([
    '8.4.24 is bugfix, its tags say security',
    '8.5.9 has no tags: say security or bugfix',
  ]);
});

it('a release may be withdrawn on the day that begins', () => {
  const withdrawn = edited((data) => (data.release('8.4.24').yanked = { date: '2026-08-27', reason: 'x' }));
  expect(yank(withdrawn, { now: new Date('2026-08-27T00:00:00Z') })).toEqual([]);
  expect(yank(withdrawn, { now: new Date('2026-08-26T23:59:59Z') })).toHaveLength(1);
});
