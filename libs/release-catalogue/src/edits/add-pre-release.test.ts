import { branchIn, edited, NOW, REAL } from '../testing/edited-catalogue.ts';
import { addPreRelease, type NewBuild } from './add-pre-release.ts';

const AT = '2026-08-27T09:00:00Z';
const added = (build: string, more: Partial<NewBuild> = {}): NewBuild => ({
  build,
  date: new Date('2026-08-07'),
  digests: new Map(
    ['gz', 'bz2', 'xz'].map((archive) => [`php-${build}.tar.${archive}`, `${archive} of ${build}`]),
  ),
  newBranch: false,
  ...more,
});
const members = (build: string, manager: string) => ({
  sha256_bz2: `bz2 of ${build}`,
  sha256_gz: `gz of ${build}`,
  sha256_xz: `xz of ${build}`,
  date: '07 August 2026',
  baseurl: `https://downloads.php.net/~${manager}/`,
});

describe('adding a build', () => {
  const later = { version: '8.4.27', active: true, release: { type: 'RC', number: 0 } } as const;
  const catalogue = edited((data) => {
    data.branch('8.4').pre_releases.push(later);
    data.branch('8.4').retired_builds.push({ version: '8.4.24RC1', sha256: [] });
  });
  const branch = branchIn(catalogue, '8.4');

  it('takes the place of the build before it, which is remembered', () => {
    expect(addPreRelease(catalogue, added('8.4.25RC2', { reason: 'a crash' }), NOW)).toStrictEqual({
      ...branch,
      updated: AT,
      pre_releases: [
        {
          version: '8.4.25',
          active: true,
          release: { type: 'RC', number: 2, ...members('8.4.25RC2', 'calvinb') },
        },
        later,
      ],
      retired_builds: [...branch.retired_builds, expect.objectContaining({ version: '8.4.25RC1' })],
      audit: [{ at: AT, action: 'add-pre-release', version: '8.4.25RC2', reason: 'a crash' }],
    });
  });

  it('opens a slot between others', () => {
    const { pre_releases, audit } = addPreRelease(catalogue, added('8.4.26RC1'), NOW);
    expect(pre_releases.map(({ version }) => version)).toEqual(['8.4.25', '8.4.26', '8.4.27']);
    expect(audit).toStrictEqual([{ at: AT, action: 'add-pre-release', version: '8.4.26RC1' }]);
  });

  it.each(['8.6.0beta2', '8.6.0RC1'])('follows 8.6.0beta1: %s', (build) => {
    expect(addPreRelease(REAL, added(build), NOW).audit).toMatchObject([{ version: build }]);
  });

  it('opens a branch', () => {
    const coming = edited(({ catalogue: { product } }) => (product.downloads.managers['9.0'] = ['bukka']));
    expect(addPreRelease(coming, added('9.0.0alpha1', { newBranch: true }), NOW)).toStrictEqual({
      $schema: '../schemas/branch.schema.json',
      branch: '9.0',
      updated: AT,
      current: null,
      history: [],
      pre_releases: [
        {
          version: '9.0.0',
          active: true,
          release: { type: 'alpha', number: 1, ...members('9.0.0alpha1', 'bukka') },
        },
      ],
      retired_builds: [],
      audit: [{ at: AT, action: 'add-pre-release', version: '9.0.0alpha1' }],
    });
  });

  const two = edited(({ catalogue: { product } }) => product.downloads.managers['8.5']!.push('edorian'));

  it('goes into the folder of a manager', () => {
    const { pre_releases } = addPreRelease(two, added('8.5.11RC1', { manager: 'edorian' }), NOW);
    expect(pre_releases.at(-1)!.release.baseurl).toBe('https://downloads.php.net/~edorian/');
  });

  it.each([
    ['a version of no build', added('8.4.26'), '"8.4.26" is not the version of a build'],
    ['a build on record', added('8.6.0beta1'), '8.6.0beta1 is published already'],
    ['an unknown branch', added('9.0.0alpha1'), 'There is no branch 9.0 for 9.0.0.'],
    ['a new branch on record', added('8.6.0RC1', { newBranch: true }), 'Branch 8.6 exists already.'],
    ['a branch without managers', added('8.3.31RC1', { manager: 'x' }), 'names no release manager of 8.3'],
    ['a branch with two managers', added('8.5.11RC1'), 'name one of daniels, edorian.'],
  ])('rejects %s', (_what, build, message) => {
    expect(() => addPreRelease(two, build, NOW)).toThrow(message);
  });
});
