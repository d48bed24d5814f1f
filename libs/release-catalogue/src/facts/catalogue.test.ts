import { edited, type EditedData, REAL } from '../testing/edited-catalogue.ts';
import { currentTable, historyTable, latestRelease, majorOf, majors, releasesOf } from './catalogue.ts';

describe('historyTable', () => {
  const top = (version: string, other: string) => {
    const catalogue = edited((data) => {
      data.release(version).rank = 200;
      data.release(other).rank = 200;
    });
    return historyTable(catalogue, 8)
      .slice(0, 2)
      .map(({ release }) => release.version);
  };

  it('orders releases of the same rank by their dates', () => {
    expect(top('8.2.31', '8.4.23')).toEqual(['8.4.23', '8.2.31']);
    expect(top('8.2.32', '8.4.22')).toEqual(['8.2.32', '8.4.22']);
  });

  it('and releases of the same day by their versions', () => {
    expect(top('8.4.23', '8.5.8')).toEqual(['8.5.8', '8.4.23']);
    expect(top('8.5.8', '8.4.23')).toEqual(['8.5.8', '8.4.23']);
  });
});

describe('tables', () => {
  const versions = (rows: ReturnType<typeof currentTable>) => rows.map(({ release }) => release.version);

  it('lists the majors that have releases, descending', () => {
    expect(majors(REAL)).toEqual([8, 7, 5, 4, 3]);
    const without7 = edited(({ catalogue }) => {
      for (const branch of catalogue.branches) if (majorOf(branch.branch) === 7) branch.history = [];
    });
    expect(majors(without7)).toEqual([8, 5, 4, 3]);
  });

  it('has the current releases of one major by rank', () => {
    expect(currentTable(REAL, 7)).toEqual([]);
    const ranked = edited((data) => {
      ['8.3.33', '8.5.9', '8.2.33', '8.4.24'].forEach((version, at) => (data.release(version).rank = 9 - at));
    });
    expect(versions(currentTable(ranked, 8))).toEqual(['8.3.33', '8.5.9', '8.2.33', '8.4.24']);
    expect(currentTable(ranked, 8)[0]!.branch.branch).toBe('8.3');
  });

  it('has the history of one major', () => {
    expect(versions(historyTable(REAL, 3))).toEqual(['3.0.x (latest)']);
    expect(historyTable(REAL, 3)[0]!.branch.branch).toBe('3.0');
    expect(new Set(historyTable(REAL, 7).map(({ release }) => majorOf(release.version)))).toEqual(
      new Set([7]),
    );
  });

  it('has the releases of a branch, the current one first', () => {
    const named = (name: string) => releasesOf(REAL.branches.find(({ branch }) => branch === name)!);
    expect(
      named('8.5')
        .map(({ version }) => version)
        .slice(0, 2),
    ).toEqual(['8.5.9', '8.5.8']);
    expect(named('8.1')[0]!.version).toBe('8.1.34');
    expect(named('8.6')).toEqual([]);
  });

  it('reads the major of a branch and of a version', () => {
    expect(['8.4', '8.4.25', '10.1'].map(majorOf)).toEqual([8, 8, 10]);
  });
});

const latestOf = (name: string, edit: (data: EditedData) => unknown = () => undefined) =>
  latestRelease(edited(edit).branches.find(({ branch }) => branch === name)!)?.version;

describe('latestRelease', () => {
  const yanked = { date: '2026-08-01', reason: 'broken' };
  it('is the highest version, wherever it stands', () => {
    expect(latestOf('8.4')).toBe('8.4.24');
    expect(latestOf('8.1')).toBe('8.1.34');
    expect(latestOf('8.1', (data) => data.branch('8.1').history.reverse())).toBe('8.1.34');
  });

  it('is not one that was withdrawn, and may not exist', () => {
    expect(latestOf('8.4', (data) => (data.release('8.4.24').yanked = yanked))).toBe('8.4.23');
    expect(latestOf('8.6')).toBeUndefined();
  });
});
