import { edited, itFinds } from '../testing/edited-catalogue.ts';
import { explicitKind, yank } from './releases.ts';

describe('rules about releases', () => {
  itFinds(explicitKind, [
    [
      'a security release without its tag, as 7.4.28',
      (data) => (data.release('8.4.24').published.tags = []),
      'error explicit-kind branches/8.4.json#/current/kind 8.4.24 security',
    ],
    [
      'a new release that leaves it open',
      (data) => {
        data.promote('8.4.25');
        data.release('8.4.25').kind = 'unrecorded';
        delete data.release('8.4.25').published.tags;
      },
      'error explicit-kind branches/8.4.json#/current/kind 8.4.25 unrecorded',
    ],
    [
      'an imported release without tags is as it always was',
      (data) => {
        data.release('8.4.23').kind = 'unrecorded';
        delete data.release('8.4.23').published.tags;
      },
    ],
    [
      'a bugfix release with the tag security',
      (data) => (data.release('8.4.24').kind = 'bugfix'),
      'error explicit-kind branches/8.4.json#/current/kind 8.4.24 bugfix',
    ],
    [
      'a bugfix release without tags has to say so',
      (data) => {
        data.release('8.4.24').kind = 'bugfix';
        delete data.release('8.4.24').published.tags;
      },
      'error explicit-kind branches/8.4.json#/current/kind 8.4.24 bugfix',
    ],
    ['a new bugfix release', (data) => data.promote('8.4.25')],
    [
      'an imported release with tags says what they say',
      (data) => (data.release('8.4.23').kind = 'unrecorded'),
      'error explicit-kind branches/8.4.json#/history/0/kind 8.4.23 unrecorded',
    ],
  ]);
  itFinds(yank, [
    [
      'withdrawn before it came out',
      (data) => (data.release('8.4.24').yanked = { date: '2026-07-29', reason: 'broken' }),
      'error yank branches/8.4.json#/current/yanked/date 8.4.24 2026-07-29',
    ],
    [
      'withdrawn tomorrow',
      (data) => (data.release('8.4.24').yanked = { date: '2026-08-28', reason: 'broken' }),
      'error yank branches/8.4.json#/current/yanked/date 8.4.24 2026-08-28',
    ],
    [
      'withdrawn on the day it came out is fine',
      (data) => (data.release('8.4.24').yanked = { date: '2026-07-30', reason: 'broken' }),
    ],
    [
      'withdrawn on the day it was recorded, before the day it is dated',
      (data) => {
        data.promote('8.4.25');
        data.branch('8.4').audit[0]!.at = '2026-08-26T22:00:00Z';
        data.release('8.4.25').yanked = { date: '2026-08-26', reason: 'broken' };
      },
    ],
    [
      'withdrawn before it was recorded and dated',
      (data) => {
        data.promote('8.4.25');
        data.branch('8.4').audit[0]!.at = '2026-08-26T22:00:00Z';
        data.release('8.4.25').yanked = { date: '2026-08-25', reason: 'broken' };
      },
      'error yank branches/8.4.json#/current/yanked/date 8.4.25 2026-08-25',
    ],
    ['withdrawn today', (data) => (data.release('8.4.24').yanked = { date: '2026-08-27', reason: 'broken' })],
  ]);
});

it('says what is missing, and what differs', () => {
  const catalogue = edited((data) => {
    data.release('8.4.24').kind = 'bugfix';
    data.release('8.5.9').kind = 'bugfix';
    delete data.release('8.5.9').published.tags;
  });
  expect([...explicitKind(catalogue, {})].map(({ detail }) => detail)).toEqual([
    '8.4.24 is bugfix, its tags say security',
    '8.5.9 has no tags: say security or bugfix',
  ]);
});

it('a release may be withdrawn on the day that begins', () => {
  const withdrawn = edited((data) => (data.release('8.4.24').yanked = { date: '2026-08-27', reason: 'x' }));
  expect([...yank(withdrawn, { now: new Date('2026-08-27T00:00:00Z') })]).toEqual([]);
  expect([...yank(withdrawn, { now: new Date('2026-08-26T23:59:59Z') })]).toHaveLength(1);
});
