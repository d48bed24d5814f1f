import { itFinds } from '../testing/edited-catalogue.ts';
import { firstRelease, retiredBranch, supportOrder } from './branches.ts';

describe('rules about branches', () => {
  itFinds(supportOrder, [
    [
      'security support that ends before active support',
      (data) => (data.branch('8.4').overrides = { date: '2024-11-21', security: '2026-12-30' }),
      'error support-order branches/8.4.json# 8.4 2026-12-31 2026-12-30',
    ],
    [
      'both on the same day are fine',
      (data) => (data.branch('8.4').overrides = { date: '2024-11-21', security: '2026-12-31' }),
    ],
    [
      'active support that ends, and security support that is not known',
      (data) => (data.branch('8.4').overrides = { stable: '2026-12-30' }),
    ],
  ]);
  itFinds(retiredBranch, [
    [
      'a branch that left the current table, with support to come',
      (data) => (data.branch('8.1').overrides = { date: '2021-11-25', security: '2026-08-14' }),
      'error retired-branch branches/8.1.json# 8.1 2026-08-14',
    ],
    [
      'one whose support ends as the facts change',
      (data) => (data.branch('8.1').overrides = { date: '2021-11-25', security: '2026-08-13' }),
    ],
    [
      'one without a release',
      (data) =>
        (data.branch('8.6').overrides = {
          date: '2026-11-19',
          stable: '2028-12-31',
          security: '2030-12-31',
        }),
    ],
    [
      'one of which a release comes out again',
      (data) => {
        data.promote('8.1.35');
        data.branch('8.1').overrides = { date: '2021-11-25', security: '2027-12-31' };
      },
    ],
  ]);
  itFinds(firstRelease, [
    [
      '8.4, which has no 8.4.0, without its date',
      (data) => delete data.branch('8.4').overrides,
      'error first-release branches/8.4.json# 8.4',
    ],
    ['a branch that has no release yet needs none', (data) => (data.branch('8.6').overrides = {})],
    ['the first release of a branch', (data) => data.promote('8.6.0')],
  ]);
});
