import { edited, REAL } from '../testing/edited-catalogue.ts';
import type { PreRelease } from '../schemas/index.ts';
import {
  buildUrl,
  buildVersion,
  devVersions,
  digestOf,
  isEnabled,
  parseBuildVersion,
  preReleases,
} from './pre-release-build.ts';
import { tarballName, tarballNames } from './tarball-name.ts';

const slotWith = (release: Partial<PreRelease['release']> = {}, active = true): PreRelease => {
  const slot = edited(() => undefined)
    .branches.flatMap(({ pre_releases }) => pre_releases)
    .find(({ version }) => version === '8.4.25')!;
  return { ...slot, active, release: { ...slot.release, ...release } };
};

describe('builds', () => {
  it('are those of all branches, ascending', () => {
    expect(preReleases(REAL).map(buildVersion)).toEqual([
      '8.2.27RC0',
      '8.3.31RC0',
      '8.4.25RC1',
      '8.5.10RC1',
      '8.6.0beta1',
    ]);
  });

  it('have an address in the folder of their manager', () => {
    expect(buildUrl(REAL.product, slotWith(), 'xz')).toBe(
      'https://downloads.php.net/~calvinb/php-8.4.25RC1.tar.xz',
    );
    const { baseurl: _, ...release } = slotWith().release;
    expect(buildUrl(REAL.product, { ...slotWith(), release }, 'gz')).toBe('php-8.4.25RC1.tar.gz');
  });

  it('have a digest for each archive', () => {
    const { release } = slotWith({ sha256_gz: 'a', sha256_bz2: '' });
    expect(digestOf(release, 'gz')).toBe('a');
    expect(digestOf(release, 'bz2')).toBe('');
  });

  const none = { sha256_gz: '', sha256_bz2: '', sha256_xz: '' };
  it.each([
    ['on offer', slotWith(), true],
    ['number 1', slotWith({ number: 1 }), true],
    ['number 0', slotWith({ number: 0 }), false],
    ['not active', slotWith({}, false), false],
    ['without a folder', slotWith({ baseurl: '' }), false],
    ['without digests', slotWith(none), false],
    ['with one digest', slotWith({ ...none, sha256_xz: 'a' }), true],
  ])('can be downloaded: %s', (_, slot, enabled) => {
    expect(isEnabled(slot)).toBe(enabled);
  });

  it('are what a bug report may name, with the branch under development first', () => {
    const slots = [slotWith(), slotWith({ number: 0 }), slotWith({}, false)];
    expect(devVersions(slots)).toEqual(['8.4.25-dev', '8.4.25RC1', '8.4.25-dev']);
  });

  it.each([
    ['8.4.26RC1', { version: '8.4.26', type: 'RC', number: 1 }],
    ['8.10.0alpha12', { version: '8.10.0', type: 'alpha', number: 12 }],
    ['10.4.26beta20', { version: '10.4.26', type: 'beta', number: 20 }],
    ['8.4.26RC0', null],
    ['8.4.26RC01', null],
    ['8.4.26rc1', null],
    ['8.4.26RC', null],
    ['8.4.26', null],
    ['8.4RC1', null],
    ['x8.4.26RC1', null],
    ['8.4.26RC1x', null],
    ['8.4.26RC1-dev', null],
    ['8.x.26RC1', null],
    ['8.4.xRC1', null],
    ['8.4.26RC1x2', null],
    ['8x4.26RC1', null],
    ['8.4x26RC1', null],
  ])('%s is read strictly', (build, parts) => {
    expect(parseBuildVersion(build)).toEqual(parts);
  });
});

it('archives are called as product.json says, gz first', () => {
  expect(tarballNames(REAL.product, '8.4.25')).toEqual([
    'php-8.4.25.tar.gz',
    'php-8.4.25.tar.bz2',
    'php-8.4.25.tar.xz',
  ]);
  const downloads = { ...REAL.product.downloads, filename: '{version}/{version}.{archive}.{archive}' };
  expect(tarballName({ downloads }, '8.4.25', 'gz')).toBe('8.4.25/8.4.25.gz.gz');
});
