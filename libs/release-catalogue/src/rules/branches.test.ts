import { itFinds } from '../testing/edited-catalogue.ts';
import { firstRelease, supportOrder } from './branches.ts';

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
