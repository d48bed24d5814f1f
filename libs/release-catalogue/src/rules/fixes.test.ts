import { edited, newViolations, NOW, type RuleCase } from '../testing/edited-catalogue.ts';
import { cveIds, fixesKept, securityFixes } from './fixes.ts';

const published = edited((data) =>
  data.promote('8.4.25', { kind: 'security', fixes: ['CVE-2026-0000', 'CVE-2026-0001'] }),
);

const idCases = (
  [
    ['of this year', 'CVE-2026-99999', undefined],
    ['of a year to come', 'CVE-3026-12345', 'error'],
    ['of next year', 'CVE-2027-12345', 'error'],
    ['of a year without any', 'CVE-1026-12345', 'error'],
    ['of long ago', 'CVE-2006-12345', 'warning'],
    ['that the release before fixes', 'CVE-2026-17544', 'warning'],
    ['that was fixed elsewhere long ago', 'CVE-2025-1220', 'warning'],
  ] as const
).map(([title, cve, severity]): RuleCase => ({
  title: `a CVE ${title}`,
  rule: cveIds,
  edit: (data) => data.promote('8.4.25', { kind: 'security', fixes: [cve] }),
  from: edited((data) => {
    data.release('8.4.24').fixes = ['CVE-2026-17544'];
    data.release('8.3.23').fixes = ['CVE-2025-1220'];
  }),
  finds: severity ? [`${severity} cve-id branches/8.4.json#/current/fixes 8.4.25 ${cve}`] : [],
}));

const cases: RuleCase[] = [
  ...idCases,
  {
    title: 'a new security release that does not say what it fixes',
    rule: securityFixes,
    edit: (data) => data.promote('8.4.25', { kind: 'security' }),
    finds: ['error security-fixes branches/8.4.json#/current/fixes 8.4.25'],
  },
  {
    title: 'the same, taken over from a site that does not say either',
    rule: securityFixes,
    edit: (data) => {
      data.promote('8.4.25', { kind: 'security' });
      data.branch('8.4').audit[0]!.action = 'import';
    },
    finds: ['warning security-fixes branches/8.4.json#/current/fixes 8.4.25'],
  },
  {
    title: 'the same, published before there was this rule',
    rule: securityFixes,
    from: edited((data) => data.promote('8.4.25')),
    edit: (data) => (data.release('8.4.25').kind = 'security'),
    finds: ['warning security-fixes branches/8.4.json#/current/fixes 8.4.25'],
  },
  {
    title: 'an imported security release',
    rule: securityFixes,
    edit: (data) => (data.release('8.4.24').kind = 'security'),
    finds: [],
  },
  {
    title: 'a bugfix release that fixes a CVE',
    rule: securityFixes,
    edit: (data) => data.promote('8.4.25', { fixes: ['CVE-2026-0000'] }),
    finds: ['error security-fixes branches/8.4.json#/current/kind 8.4.25 bugfix'],
  },
  {
    title: 'a security release that says what it fixes',
    rule: securityFixes,
    edit: (data) => data.promote('8.4.25', { kind: 'security', fixes: ['CVE-2026-0000'] }),
    finds: [],
  },
  {
    title: 'a CVE that became known later',
    rule: fixesKept,
    from: published,
    edit: (data) => data.release('8.4.25').fixes!.unshift('CVE-2025-0000'),
    finds: [],
  },
  {
    title: 'a CVE that is fixed no longer',
    rule: fixesKept,
    from: published,
    edit: (data) => data.release('8.4.25').fixes!.pop(),
    finds: ['error fixes-kept branches/8.4.json#/current/fixes 8.4.25 CVE-2026-0001'],
  },
  {
    title: 'the same with a correction',
    rule: fixesKept,
    from: published,
    edit: (data) => {
      data.release('8.4.25').fixes!.pop();
      data.branch('8.4').audit.push({
        at: NOW.toISOString(),
        action: 'correct',
        version: '8.4.25',
        reason: 'it was another one',
        changes: [{ pointer: '/fixes/1', from: 'CVE-2026-0001' }],
      });
    },
    finds: [],
  },
];

describe('rules about fixes', () => {
  it.each(cases)('$rule.name: $title', (ruleCase) => {
    expect(newViolations(ruleCase)).toEqual(ruleCase.finds);
  });
});
