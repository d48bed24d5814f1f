import { branchOf, compareVersions } from './version.ts';

describe('versions', () => {
  it('orders by number, not by text', () => {
    const ordered = ['3.0.x (latest)', '8.2', '8.2.9', '8.2.10', '8.10', '10.0'];
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  });

  it('names the branch', () => {
    expect(branchOf('8.4.25')).toBe('8.4');
    expect(branchOf('3.0.x (latest)')).toBe('3.0');
  });
});
