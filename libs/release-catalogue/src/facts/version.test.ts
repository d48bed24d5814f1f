import { branchOf, compareVersions } from './version.ts';

describe('versions', () => {
  it('orders by number, not by text', () => {
    const ordered = ['3.0.x (latest)', '8.2', '8.2.9', '8.2.10', '8.10', '10.0'];
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
  });

  it.each([
    ['8.4.9', '8.4.9', 0],
    ['8.4', '8.4.0', 0],
    ['8.4.x', '8.4.0', 0],
    ['8.4.5x', '8.4.0', 0],
    ['8.4.x5', '8.4.0', 0],
    ['8.4.', '8.4.0', 0],
    ['8.4', '8.4.1', -1],
    ['8.4.1', '8.4', 1],
    ['9.0.0', '8.9.9', 1],
    ['8.04', '8.4', 0],
    ['8.04.1', '8.4.2', -1],
  ])('compares %s with %s', (a, b, order) => {
    expect(Math.sign(compareVersions(a, b))).toBe(order);
  });

  it('names the branch', () => {
    expect(branchOf('8.4.25')).toBe('8.4');
    expect(branchOf('3.0.x (latest)')).toBe('3.0');
  });
});
