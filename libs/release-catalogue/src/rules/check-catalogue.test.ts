import { brief, edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { checkCatalogue } from './check-catalogue.ts';

const errors = (...args: Parameters<typeof checkCatalogue>) =>
  checkCatalogue(...args)
    .filter(({ severity }) => severity === 'error')
    .map(brief);

describe('checkCatalogue', () => {
  it('finds in the imported history what is known of it, and accepts it', () => {
    const violations = checkCatalogue(REAL, { now: NOW });
    const counts = new Map<string, number>();
    for (const { rule, severity, accepted } of violations) {
      expect({ rule, severity, accepted }).toEqual({
        rule,
        severity: 'warning',
        accepted: 'imported as php.net has it',
      });
      counts.set(rule, (counts.get(rule) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({
      'file-date': 39,
      ascending: 8,
      'hash-unique': 7,
      'support-order': 5,
      'source-filename': 4,
      'hash-format': 2,
      'build-ahead': 2,
      'first-release': 1,
    });
  });

  it('does not accept the same mistake elsewhere', () => {
    const data = edited((draft) => (draft.source('8.4.24').date = '31 Jul 2026'));
    expect(errors(data)).toEqual([
      'error file-date branches/8.4.json#/current/published/source/0/date 8.4.24 php-8.4.24.tar.gz 31 Jul 2026',
    ]);
  });

  it('does not accept another violation in the accepted location', () => {
    const data = edited((draft) => (draft.source('7.3.14').date = '19 Dec 2019'));
    expect(errors(data)).toEqual([expect.stringContaining('error file-date branches/7.3.json')]);
  });

  it('says which acceptances accept nothing any more', () => {
    const data = edited((draft) => draft.branch('8.2').pre_releases.pop());
    expect(checkCatalogue(data).filter(({ accepted }) => accepted === undefined)).toEqual([
      expect.objectContaining({
        rule: 'acceptance-unused',
        severity: 'warning',
        file: 'accepted-findings.json',
        pointer: '/accepted',
        subject: 'build-ahead 8.2.27-dev',
        detail: expect.stringContaining('build-ahead 8.2.27-dev'),
      }),
    ]);
  });

  it('lets every published release and build of a quiet month pass', () => {
    const data = edited((draft) => {
      draft.promote('8.4.25', { kind: 'security', fixes: ['CVE-2026-0000'] });
      draft.promote('8.5.10', { next: '8.5.11' });
      draft.promote('8.3.34');
      draft.addBuild('8.6.0beta2');
    });
    expect(errors(data, { now: NOW, before: REAL })).toEqual([]);
  });
});
