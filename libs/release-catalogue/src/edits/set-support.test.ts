import { branchIn, edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { setSupport } from './set-support.ts';

const AT = '2026-08-27T09:00:00Z';
const active = new Date('2027-06-30');
const security = new Date('2032-12-31');
const reason = 'a large user pays for it';

describe('setting the end of support', () => {
  it('changes both days', () => {
    const branch = branchIn(REAL, '8.4');
    expect(setSupport(REAL, { branch: '8.4', active, security, reason }, NOW)).toStrictEqual({
      ...branch,
      updated: AT,
      overrides: { date: '2024-11-21', stable: '2027-06-30', security: '2032-12-31' },
      audit: [
        {
          at: AT,
          action: 'set-support',
          version: '8.4',
          reason,
          changes: [
            { pointer: '/overrides/stable', from: '2026-12-31', to: '2027-06-30' },
            { pointer: '/overrides/security', from: '2028-12-31', to: '2032-12-31' },
          ],
        },
      ],
    });
  });

  it('leaves out a day that is the same or not given', () => {
    const same = { branch: '8.5', active: new Date('2027-12-31'), security, reason };
    const { overrides, audit } = setSupport(REAL, same, NOW);
    expect(overrides).toStrictEqual({ security: '2032-12-31' });
    expect(audit[0]!.changes).toStrictEqual([
      { pointer: '/overrides/security', from: '2029-12-31', to: '2032-12-31' },
    ]);
    expect(setSupport(REAL, { branch: '8.5', active, reason }, NOW).overrides).toStrictEqual({
      stable: '2027-06-30',
    });
  });

  it('keeps the day of a first release that overrides would hide', () => {
    const begun = edited((data) => data.promote('8.6.0'));
    const { overrides, audit } = setSupport(begun, { branch: '8.6', security, reason }, NOW);
    expect(overrides).toStrictEqual({ date: '2026-08-27', security: '2032-12-31' });
    expect(audit.at(-1)!.changes).toContainEqual({ pointer: '/overrides/date', to: '2026-08-27' });
  });

  it('sets a day that was not known', () => {
    const { overrides, audit } = setSupport(REAL, { branch: '3.0', active, reason }, NOW);
    expect(overrides).toStrictEqual({ security: '2000-10-20', stable: '2027-06-30' });
    expect(audit[0]!.changes).toStrictEqual([{ pointer: '/overrides/stable', to: '2027-06-30' }]);
  });

  it.each([
    ['9.9', 'There is no branch 9.9.'],
    ['8.6', 'Branch 8.6 has no release yet.'],
    ['8.5', 'The support of 8.5 ends on these days already.'],
  ])('rejects %s', (branch, message) => {
    const same = { branch, active: new Date('2027-12-31'), security: new Date('2029-12-31'), reason };
    expect(() => setSupport(REAL, same, NOW)).toThrow(message);
  });
});
