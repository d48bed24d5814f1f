import { parseReportedVersion } from './reported-version.ts';

describe('the version an installation reports', () => {
  it.each([
    ['8.4.20', { base: '8.4.20', isBranch: false, isDistributionBuild: false }],
    ['8.4', { base: '8.4', isBranch: true, isDistributionBuild: false }],
    ['7.4.3-4ubuntu2.29', { base: '7.4.3', isBranch: false, isDistributionBuild: true }],
    ['8.2.7-1~deb12u1', { base: '8.2.7', isBranch: false, isDistributionBuild: true }],
    ['2:8.2+93+deb12', { base: '8.2', isBranch: true, isDistributionBuild: true }],
    ['8.5.0RC2', { base: '8.5.0', isBranch: false, preRelease: '8.5.0RC2', isDistributionBuild: false }],
    ['8.5.0-dev', { base: '8.5.0', isBranch: false, preRelease: '8.5.0-dev', isDistributionBuild: false }],
    // Homebrew, FreeBSD and Alpine.
    ['8.4.1_1', { base: '8.4.1', isBranch: false, isDistributionBuild: true }],
    ['8.3.14_1,1', { base: '8.3.14', isBranch: false, isDistributionBuild: true }],
    ['8.4.1-r0', { base: '8.4.1', isBranch: false, isDistributionBuild: true }],
    ['8.4.0_rc4-r0', { base: '8.4.0', isBranch: false, preRelease: '8.4.0RC4', isDistributionBuild: true }],
    ['8.4.0~rc4-1', { base: '8.4.0', isBranch: false, preRelease: '8.4.0RC4', isDistributionBuild: true }],
    ['8.5.0~RC2-1', { base: '8.5.0', isBranch: false, preRelease: '8.5.0RC2', isDistributionBuild: true }],
  ])('%s', (text, parts) => expect(parseReportedVersion(text)).toEqual(parts));

  it.each(['', '8', '8.4.', '8.4.x', 'v8.4.1', '8.4.1\n', '8.4.1-<b>', '8.4.1rc1'])(
    '%j is not a version',
    (text) => expect(parseReportedVersion(text)).toBeNull(),
  );
});
