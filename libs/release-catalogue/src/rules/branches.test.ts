import { newViolations, type RuleCase } from '../testing/edited-catalogue.ts';
import { firstRelease, supportOrder } from './branches.ts';

const cases: RuleCase[] = [
  {
    title: 'security support that ends before active support',
    rule: supportOrder,
    edit: (data) => (data.branch('8.4').overrides = { date: '2024-11-21', security: '2026-12-30' }),
    finds: ['error support-order branches/8.4.json# 8.4 2026-12-31 2026-12-30'],
  },
  {
    title: 'both on the same day are fine',
    rule: supportOrder,
    edit: (data) => (data.branch('8.4').overrides = { date: '2024-11-21', security: '2026-12-31' }),
    finds: [],
  },
  {
    title: 'active support that ends, and security support that is not known',
    rule: supportOrder,
    edit: (data) => (data.branch('8.4').overrides = { stable: '2026-12-30' }),
    finds: [],
  },
  {
    title: '8.4, which has no 8.4.0, without its date',
    rule: firstRelease,
    edit: (data) => delete data.branch('8.4').overrides,
    finds: ['error first-release branches/8.4.json# 8.4'],
  },
  {
    title: 'a branch that has no release yet needs none',
    rule: firstRelease,
    edit: (data) => (data.branch('8.6').overrides = {}),
    finds: [],
  },
  {
    title: 'the first release of a branch',
    rule: firstRelease,
    edit: (data) => data.promote('8.6.0'),
    finds: [],
  },
];

describe('rules about branches', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});
