import { type EditedData, edited } from '../testing/edited-catalogue.ts';
import { latestRelease } from './latest.ts';

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
