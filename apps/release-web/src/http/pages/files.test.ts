import { type BranchFile, buildVersion, latestRelease } from '@workspace/release-catalogue';
import { REAL } from '@workspace/release-catalogue/testing';
import { buildsToTest } from './files.ts';
import { supportSentence } from './support.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const branch = (name: string): BranchFile => REAL.branches.find((one) => one.branch === name)!;
const [inDevelopment, supported] = [branch('8.6'), branch('8.4')];
const [slot] = supported.pre_releases;

it.each<[what: string, branch: BranchFile, builds: string[]]>([
  ['a branch in development', inDevelopment, ['8.6.0beta1']],
  ['a supported branch', supported, ['8.4.25RC1']],
  ['no build so far', branch('8.2'), []],
  [
    'a build that its release has overtaken',
    { ...supported, pre_releases: [{ ...slot!, version: latestRelease(supported)!.version }] },
    [],
  ],
  [
    'a branch without support',
    { ...supported, overrides: { date: '2024-11-21', stable: '2025-01-01', security: '2026-11-21' } },
    [],
  ],
])('builds to test: %s', (_what, file, builds) => {
  expect(buildsToTest(file, NOW).map(buildVersion)).toEqual(builds);
});

it('a branch without builds and releases is not released yet', () => {
  expect(supportSentence('PHP', { ...inDevelopment, pre_releases: [] }, NOW)).toBe(
    'PHP 8.6 is not released yet.',
  );
});
