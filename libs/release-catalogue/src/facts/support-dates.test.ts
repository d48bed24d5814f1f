import { edited, REAL } from '../testing/edited-catalogue.ts';
import type { BranchFile } from '../schemas/index.ts';
import { isoDate } from './calendar-date.ts';
import { supportDates } from './support-dates.ts';

const branchOf = (name: string, edit: (branch: BranchFile) => unknown = () => undefined): BranchFile => {
  const catalogue = edited((data) => edit(data.branch(name)));
  return catalogue.branches.find(({ branch }) => branch === name)!;
};

const datesOf = (branch: BranchFile) => {
  const { initialRelease, activeSupportEnd, securitySupportEnd } = supportDates(branch);
  return [initialRelease, activeSupportEnd, securitySupportEnd].map((date) => date && isoDate(date));
};

describe('supportDates', () => {
  it.each([
    ['3.0', [null, null, '2000-10-20']],
    // Before 5.3: until the last release.
    ['4.0', ['2000-05-22', '2002-05-22', '2001-06-23']],
    ['5.2', ['2006-11-02', '2008-11-02', '2011-01-06']],
    ['5.3', ['2009-06-30', '2013-07-11', '2014-08-14']],
    // Two and three years to the day.
    ['7.4', ['2019-11-28', '2021-11-28', '2022-11-28']],
    ['8.0', ['2020-11-26', '2022-11-26', '2023-11-26']],
    // From 8.1 on security support, from 8.2 on active support as well ends with a year.
    ['8.1', ['2021-11-25', '2023-11-25', '2025-12-31']],
    ['8.2', ['2022-12-08', '2024-12-31', '2026-12-31']],
    ['8.4', ['2024-11-21', '2026-12-31', '2028-12-31']],
    ['8.6', [null, null, null]],
  ])('of %s follow php.net', (name, dates) => {
    expect(datesOf(branchOf(name))).toEqual(dates);
  });

  it('of 8.10 are those of a branch after 8.9', () => {
    const first = REAL.branches
      .find(({ branch }) => branch === '8.1')!
      .history.find(({ version }) => version === '8.1.0')!;
    const branch = { ...branchOf('8.1'), branch: '8.10', history: [{ ...first, version: '8.10.0' }] };
    expect(datesOf(branch)).toEqual(['2021-11-25', '2023-12-31', '2025-12-31']);
  });

  it('of 5.3 would be the first to last three years', () => {
    const computed = branchOf('5.3', (branch) => delete branch.overrides);
    expect(datesOf(computed)).toEqual(['2009-06-30', '2011-06-30', '2012-06-30']);
  });

  it('of a first release are those of its first file', () => {
    const first = REAL.branches.find(({ branch }) => branch === '8.5')!.current!;
    const withCurrent = (name: string, version: string, source: unknown[], more: Partial<BranchFile> = {}) =>
      branchOf(name, (branch) => {
        const published = { ...first.published, source: source as typeof first.published.source };
        Object.assign(branch, { history: [], current: { ...first, version, published }, ...more });
      });
    const file = { filename: 'x', name: 'x', date: '26 Nov 2026' };
    const link = { link: '/x', name: 'x', date: '26 Nov 2026' };
    expect(datesOf(withCurrent('8.6', '8.6.0', [file, { ...file, date: '27 Nov 2026' }]))).toEqual([
      '2026-11-26',
      '2028-12-31',
      '2030-12-31',
    ]);
    expect(datesOf(withCurrent('8.6', '8.6.1', [file]))).toEqual([null, null, null]);
    expect(datesOf(withCurrent('8.6', '8.6.0', []))).toEqual([null, null, null]);
    expect(datesOf(withCurrent('8.6', '8.6.0', [{ link: '/x', name: 'x' }]))).toEqual([null, null, null]);
    expect(datesOf(withCurrent('8.6', '8.6.0', [{ filename: 'x', name: 'x' }]))).toEqual([null, null, null]);
    expect(datesOf(withCurrent('8.6', '8.6.0', [link]))[0]).toBe('2026-11-26');
    // An entry without a date says that it is not known.
    expect(datesOf(withCurrent('8.6', '8.6.0', [file], { overrides: {} }))).toEqual([null, null, null]);
    expect(datesOf(withCurrent('5.2', '5.2.0', [file]))).toEqual(['2026-11-26', '2028-11-26', '2026-11-26']);
    expect(datesOf(withCurrent('5.2', '5.2.1', [file]))).toEqual([null, null, null]);
  });

  it('before 5.3 are those of the highest version, wherever it stands', () => {
    expect(datesOf(branchOf('5.2', ({ history }) => history.reverse()))[2]).toBe('2011-01-06');
    expect(datesOf(branchOf('5.2', (branch) => (branch.history = [])))).toEqual([null, null, null]);
  });

  it('of 29 February end on 1 March, and the first release in the history counts before overrides', () => {
    const leap = branchOf('8.0', (branch) => {
      branch.history.find(({ version }) => version === '8.0.0')!.date = '2024-02-29';
      branch.overrides = { date: '2020-01-01' };
    });
    expect(datesOf(leap)).toEqual(['2024-02-29', '2026-03-01', '2027-03-01']);
  });

  it('may be replaced one by one', () => {
    const replaced = branchOf('8.2', (branch) => (branch.overrides = { stable: '2025-01-02' }));
    expect(datesOf(replaced)).toEqual(['2022-12-08', '2025-01-02', '2026-12-31']);
  });
});
