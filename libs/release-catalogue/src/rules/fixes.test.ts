import type { AuditEntry } from '../schemas/index.ts';
import { edited, itFinds, NOW, type RuleRow } from '../testing/edited-catalogue.ts';
import { cveIds, fixesKept, securityFixes } from './fixes.ts';

const published = edited((data) =>
  data.promote('8.4.25', { kind: 'security', fixes: ['CVE-2026-0000', 'CVE-2026-0001'] }),
);

describe('rules about fixes', () => {
  itFinds(cveIds, [
    ...(
      [
        ['of this year', 'CVE-2026-99999', undefined],
        ['of a year to come', 'CVE-3026-12345', 'error'],
        ['of next year', 'CVE-2027-12345', 'error'],
        ['of a year without any', 'CVE-1026-12345', 'error'],
        ['of long ago', 'CVE-2006-12345', 'warning'],
        ['that the release before fixes', 'CVE-2026-17544', 'warning'],
        ['that was fixed elsewhere long ago', 'CVE-2025-1220', 'warning'],
      ] as const
    ).map(([title, cve, severity]): RuleRow => [
      `a CVE ${title}`,
      (data) => data.promote('8.4.25', { kind: 'security', fixes: [cve] }),
      severity ? [`${severity} cve-id branches/8.4.json#/current/fixes 8.4.25 ${cve}`] : [],
      edited((data) => {
        data.release('8.4.24').fixes = ['CVE-2026-17544'];
        data.release('8.3.23').fixes = ['CVE-2025-1220'];
      }),
    ]),
    ...(
      [
        ['the oldest usual year', 'CVE-2021-12345', undefined],
        ['the year before', 'CVE-2020-12345', 'warning'],
        ['the first year of CVEs', 'CVE-1999-12345', 'warning'],
        ['the year before there were CVEs', 'CVE-1998-12345', 'error'],
      ] as const
    ).map(([title, cve, severity]): RuleRow => [
      `a CVE of ${title}`,
      (data) => data.promote('8.4.25', { kind: 'security', fixes: [cve] }),
      severity ? [`${severity} cve-id branches/8.4.json#/current/fixes 8.4.25 ${cve}`] : [],
    ]),
    ...(
      [
        ['90 days before', '2026-05-29', undefined],
        ['91 days before', '2026-05-28', 'warning'],
        ['on the same day', '2026-08-27', undefined],
        ['later', '2027-08-27', undefined],
      ] as const
    ).map(([title, date, severity]): RuleRow => [
      `a CVE that another branch fixed ${title}`,
      (data) => data.promote('8.4.25', { kind: 'security', fixes: ['CVE-2026-12345'] }),
      severity ? [`${severity} cve-id branches/8.4.json#/current/fixes 8.4.25 CVE-2026-12345`] : [],
      edited((data) => Object.assign(data.release('8.3.33'), { date, fixes: ['CVE-2026-12345'] })),
    ]),
    [
      'a CVE of the year in which it became known, after the release',
      (data) => {
        data.promote('8.4.25', { kind: 'security', fixes: ['CVE-2027-12345', 'CVE-2028-12345'] });
        data.branch('8.4').updated = '2027-01-02T00:00:00Z';
      },
      'error cve-id branches/8.4.json#/current/fixes 8.4.25 CVE-2028-12345',
    ],
    ['an imported release may name any CVE', (data) => (data.release('8.4.24').fixes = ['CVE-1998-12345'])],
    ['a release that fixes none', (data) => data.promote('8.4.25')],
    [
      'a CVE of the year of a release that is dated after its file',
      (data) => {
        data.promote('8.4.25', { kind: 'security', fixes: ['CVE-2027-12345'] });
        data.release('8.4.25').date = '2027-01-01';
      },
    ],
  ]);
  itFinds(securityFixes, [
    [
      'a new security release that does not say what it fixes',
      (data) => data.promote('8.4.25', { kind: 'security' }),
      'error security-fixes branches/8.4.json#/current/fixes 8.4.25',
    ],
    [
      'the same, taken over from a site that does not say either',
      (data) => {
        data.promote('8.4.25', { kind: 'security' });
        data.branch('8.4').audit[0]!.action = 'import';
      },
      'warning security-fixes branches/8.4.json#/current/fixes 8.4.25',
    ],
    [
      'the same, published before there was this rule',
      (data) => (data.release('8.4.25').kind = 'security'),
      'warning security-fixes branches/8.4.json#/current/fixes 8.4.25',
      edited((data) => data.promote('8.4.25')),
    ],
    ['an imported security release', (data) => (data.release('8.4.24').kind = 'security')],
    [
      'a bugfix release that fixes a CVE',
      (data) => data.promote('8.4.25', { fixes: ['CVE-2026-0000'] }),
      'error security-fixes branches/8.4.json#/current/kind 8.4.25 bugfix',
    ],
    [
      'a security release that says what it fixes',
      (data) => data.promote('8.4.25', { kind: 'security', fixes: ['CVE-2026-0000'] }),
    ],
    [
      'a release that was taken over with CVEs that its site does not call security',
      (data) => {
        data.promote('8.4.25', { fixes: ['CVE-2026-0000'] });
        data.branch('8.4').audit[0]!.action = 'import';
      },
    ],
    [
      'a security release of a branch of which nothing was imported',
      (data) => data.promote('8.6.0', { kind: 'security' }),
      'error security-fixes branches/8.6.json#/current/fixes 8.6.0',
    ],
    ['a bugfix release that fixes none', (data) => data.promote('8.4.25')],
    [
      'releases written by hand, without a record',
      (data) => {
        data.promote('8.4.25', { kind: 'security' });
        data.promote('8.5.10', { fixes: ['CVE-2026-0000'] });
        data.branch('8.4').audit = [];
        data.branch('8.5').audit = [];
      },
      [
        'error security-fixes branches/8.4.json#/current/fixes 8.4.25',
        'error security-fixes branches/8.5.json#/current/kind 8.5.10 bugfix',
      ],
    ],
  ]);
  itFinds(fixesKept, [
    [
      'a CVE that became known later',
      (data) => data.release('8.4.25').fixes!.unshift('CVE-2025-0000'),
      [],
      published,
    ],
    [
      'a CVE that is fixed no longer',
      (data) => data.release('8.4.25').fixes!.pop(),
      'error fixes-kept branches/8.4.json#/current/fixes 8.4.25 CVE-2026-0001',
      published,
    ],
    [
      'the same with a correction',
      (data) => {
        data.release('8.4.25').fixes!.pop();
        data.branch('8.4').audit.push({
          at: NOW.toISOString(),
          action: 'correct',
          version: '8.4.25',
          reason: 'it was another one',
          changes: [{ pointer: '/fixes/1', from: 'CVE-2026-0001' }],
        });
      },
      [],
      published,
    ],
    ...(
      [
        ['of another version', { version: '8.4.24' }],
        ['by another action', { action: 'yank' }],
        ['of another member', { changes: [{ pointer: '/kind' }] }],
        ['of no member', { changes: undefined }],
      ] as const
    ).map(([title, entry]): RuleRow => [
      `a CVE that is fixed no longer, and a correction ${title}`,
      (data) => {
        data.release('8.4.25').fixes!.pop();
        const corrects = { at: '2026-08-27T09:00:00Z', action: 'correct', version: '8.4.25', reason: 'x' };
        const { changes, ...rest } = { ...corrects, changes: [{ pointer: '/fixes/1' }], ...entry };
        data.branch('8.4').audit.push({ ...rest, ...(changes && { changes }) } as AuditEntry);
      },
      'error fixes-kept branches/8.4.json#/current/fixes 8.4.25 CVE-2026-0001',
      published,
    ]),
    [
      'all CVEs are gone',
      (data) => delete data.release('8.4.25').fixes,
      'error fixes-kept branches/8.4.json#/current/fixes 8.4.25 CVE-2026-0000 CVE-2026-0001',
      published,
    ],
  ]);
});

it('a release is not new, and has lost nothing, without something to compare with', () => {
  const catalogue = edited((data) => data.promote('8.4.25', { kind: 'security' }));
  expect(
    [...securityFixes(catalogue, { now: NOW })].map(({ severity, detail }) => `${severity}: ${detail}`),
  ).toEqual(['warning: 8.4.25 does not say which CVEs it fixes']);
  expect([...fixesKept(catalogue, { now: NOW })]).toEqual([]);
});

it('says why an id is doubtful', () => {
  const catalogue = edited((data) => {
    data.release('8.4.24').fixes = ['CVE-2026-17544'];
    data.release('8.3.23').fixes = ['CVE-2025-1220'];
    data.promote('8.4.25', {
      kind: 'security',
      fixes: ['CVE-2026-17544', 'CVE-2025-1220', 'CVE-2006-12345'],
    });
  });
  const { date } = catalogue.branches
    .flatMap(({ history }) => history)
    .find(({ version }) => version === '8.3.23')!;
  expect([...cveIds(catalogue, {})].map(({ detail }) => detail)).toEqual([
    'CVE-2026-17544 is fixed by 8.4.24 already, which counts; if that fix was incomplete, take it back there with correct',
    `CVE-2025-1220 was fixed by 8.3.23 on ${date}: check the id`,
    'CVE-2006-12345 is of the year 2006: check the id',
  ]);
});
