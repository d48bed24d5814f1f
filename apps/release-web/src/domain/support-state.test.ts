import type { BranchFile, Release } from '@workspace/release-catalogue';
import { isSupported, recommendedBranch, supportState } from './support-state.ts';

const release = (version: string, date: string, text = '1 May 2020'): Release => ({
  version,
  date,
  kind: 'bugfix',
  rank: 1,
  published: { date: text, source: [{ filename: 'x', name: 'x', date: text }] },
});
const branch = (name: string, more: Partial<BranchFile>): BranchFile => ({
  branch: name,
  updated: '2026-01-01T00:00:00Z',
  current: null,
  history: [],
  pre_releases: [],
  retired_builds: [],
  audit: [],
  ...more,
});

describe('supportState', () => {
  // The end of each is the first instant of the next.
  it.each([
    ['2025-11-19T23:59:59.999Z', 'future'],
    ['2025-11-20T00:00:00.000Z', 'stable'],
    ['2027-12-30T23:59:59.999Z', 'stable'],
    ['2027-12-31T00:00:00.000Z', 'security'],
    ['2029-12-30T23:59:59.999Z', 'security'],
    ['2029-12-31T00:00:00.000Z', 'eol'],
  ])('at %s is %s', (instant, state) => {
    const file = branch('8.5', { history: [release('8.5.0', '2025-11-20')] });
    expect(supportState(file, new Date(instant)).state).toBe(state);
  });

  it('has no state when a date is unknown, and no dates without a release', () => {
    const overrides = { stable: '2001-01-01', security: '2002-01-01' };
    const current = release('8.4.1', '2024-11-21');
    for (const known of [{ stable: '2025-01-01' }, { security: '2025-01-01' }, overrides])
      expect(supportState(branch('8.4', { current, overrides: known }), new Date(0)).state).toBeNull();
    expect(supportState(branch('3.0', { overrides }), new Date(0))).toEqual({
      state: null,
      initialRelease: null,
      activeSupportEnd: null,
      securitySupportEnd: null,
    });
  });

  it('asks for the end first: it may come before the end of active support', () => {
    const file = branch('5.0', { history: [release('5.0.0', '2004-07-13'), release('5.0.5', '2005-09-05')] });
    expect(supportState(file, new Date('2005-09-05T00:00:00Z')).state).toBe('eol');
  });
});

describe('isSupported', () => {
  it('needs a current release and an end that is not reached', () => {
    const history = [release('8.5.0', '2025-11-20')];
    const file = branch('8.5', { current: release('8.5.1', '2025-12-18'), history });
    expect(isSupported(file, new Date('2029-12-30T23:59:59Z'))).toBe(true);
    expect(isSupported(file, new Date('2029-12-31T00:00:00Z'))).toBe(false);
    expect(isSupported(branch('8.5', { current: release('8.5.1', '2025-12-18') }), new Date(0))).toBe(false);
    expect(isSupported({ ...file, current: null }, new Date('2026-01-01T00:00:00Z'))).toBe(false);
  });
});

describe('recommendedBranch', () => {
  it('is no branch that comes out later, although its first release is on record', () => {
    const older = branch('8.5', { current: release('8.5.0', '2025-11-20', '20 Nov 2025') });
    const newer = branch('8.6', { current: release('8.6.0', '2026-11-19', '19 Nov 2026') });
    const at = (instant: string) => recommendedBranch([older, newer], new Date(instant))?.branch;
    expect([at('2026-11-18T23:59:59Z'), at('2026-11-19T00:00:00Z')]).toEqual(['8.5', '8.6']);
  });
});
