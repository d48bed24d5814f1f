import { type BranchFile, isoDate, loadDataFolder, supportDates } from '@workspace/release-catalogue';
import { FROZEN_FOLDER } from '@workspace/release-catalogue/testing';
import { supportState } from '../src/domain/support-state.ts';

/** The life of every branch php.net has had, as it publishes it: first release, end of active and of security support. */
const LIVES: Record<string, [string | null, string | null, string]> = {
  '3.0': [null, null, '2000-10-20'],
  '4.0': ['2000-05-22', '2002-05-22', '2001-06-23'],
  '4.1': ['2001-12-10', '2003-12-10', '2002-03-12'],
  '4.2': ['2002-04-22', '2004-04-22', '2002-09-06'],
  '4.3': ['2002-12-27', '2004-12-27', '2005-03-31'],
  '4.4': ['2005-07-11', '2007-07-11', '2008-08-07'],
  '5.0': ['2004-07-13', '2006-07-13', '2005-09-05'],
  '5.1': ['2005-11-24', '2007-11-24', '2006-08-24'],
  '5.2': ['2006-11-02', '2008-11-02', '2011-01-06'],
  '5.3': ['2009-06-30', '2013-07-11', '2014-08-14'],
  '5.4': ['2012-03-01', '2014-09-14', '2015-09-03'],
  '5.5': ['2013-06-20', '2015-07-10', '2016-07-21'],
  '5.6': ['2014-08-28', '2017-01-19', '2018-12-31'],
  '7.0': ['2015-12-03', '2018-01-04', '2019-01-10'],
  '7.1': ['2016-12-01', '2018-12-01', '2019-12-01'],
  '7.2': ['2017-11-30', '2019-11-30', '2020-11-30'],
  '7.3': ['2018-12-06', '2020-12-06', '2021-12-06'],
  '7.4': ['2019-11-28', '2021-11-28', '2022-11-28'],
  '8.0': ['2020-11-26', '2022-11-26', '2023-11-26'],
  '8.1': ['2021-11-25', '2023-11-25', '2025-12-31'],
  '8.2': ['2022-12-08', '2024-12-31', '2026-12-31'],
  '8.3': ['2023-11-23', '2025-12-31', '2027-12-31'],
  '8.4': ['2024-11-21', '2026-12-31', '2028-12-31'],
  '8.5': ['2025-11-20', '2027-12-31', '2029-12-31'],
};

const at = (day: string, seconds: number): Date => new Date(Date.parse(`${day}T00:00:00Z`) + seconds * 1000);

describe('every boundary of every branch', () => {
  let branches: Map<string, BranchFile>;
  beforeAll(async () => {
    const { catalogue } = await loadDataFolder(FROZEN_FOLDER);
    branches = new Map(catalogue.branches.map((branch) => [branch.branch, branch]));
  });

  it.each(Object.entries(LIVES))('%s has the dates php.net gives', (name, life) => {
    const { initialRelease, activeSupportEnd, securitySupportEnd } = supportDates(branches.get(name)!);
    expect(
      [initialRelease, activeSupportEnd, securitySupportEnd].map((date) => date && isoDate(date)),
    ).toEqual(life);
  });

  it.each(Object.entries(LIVES).filter(([, [first]]) => first))(
    '%s changes state at the second, not before',
    (name, [first, active, security]) => {
      const stateAt = (day: string, seconds: number) =>
        supportState(branches.get(name)!, at(day, seconds)).state;
      const aroundEachDay = [first!, active!, security].map((day) =>
        [-1, 0, 1].map((second) => stateAt(day, second)),
      );
      const endsEarly = security < active!;
      expect(aroundEachDay).toEqual([
        ['future', 'stable', 'stable'],
        endsEarly ? ['eol', 'eol', 'eol'] : ['stable', 'security', 'security'],
        [endsEarly ? 'stable' : 'security', 'eol', 'eol'],
      ]);
    },
  );
});
