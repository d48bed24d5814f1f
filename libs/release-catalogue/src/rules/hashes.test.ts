import { brief, edited, itFinds, REAL } from '../testing/edited-catalogue.ts';
import {
  digestsOnDisk,
  hashFormat,
  hashMissing,
  hashUnique,
  hashUniqueInRelease,
  recordedFiles,
} from './hashes.ts';

const A = 'a'.repeat(64);

describe('rules about digests', () => {
  itFinds(hashFormat, [
    [
      '65 characters, as 8.3.11 had for three days',
      (data) => (data.source('8.4.24').sha256 = `${A}a`),
      `error hash-format branches/8.4.json#/current/published/source/0/sha256 php-8.4.24.tar.gz ${A}a`,
    ],
    [
      '62 characters, as 8.3.20 had',
      (data) => (data.build('8.4.25').release.sha256_xz = A.slice(2)),
      `error hash-format branches/8.4.json#/pre_releases/0/release/sha256_xz php-8.4.25RC1.tar.xz ${A.slice(2)}`,
    ],
    [
      'capital letters',
      (data) => (data.source('8.4.24').sha256 = A.toUpperCase()),
      `error hash-format branches/8.4.json#/current/published/source/0/sha256 php-8.4.24.tar.gz ${A.toUpperCase()}`,
    ],
    ['another 64 characters are fine', (data) => (data.source('8.4.24').sha256 = A)],
    [
      'an MD5 of 31 and of 33 characters, one of 32',
      (data) => {
        data.source('8.4.24').md5 = A.slice(0, 31);
        data.source('8.4.24', 1).md5 = A.slice(0, 33);
        data.source('8.4.24', 2).md5 = A.slice(0, 32);
      },
      [
        `error hash-format branches/8.4.json#/current/published/source/0/md5 php-8.4.24.tar.gz ${A.slice(0, 31)}`,
        `error hash-format branches/8.4.json#/current/published/source/1/md5 php-8.4.24.tar.bz2 ${A.slice(0, 33)}`,
      ],
    ],
    [
      'a retired build with an invalid digest',
      (data) => (data.branch('8.4').retired_builds = [{ version: '8.4.24RC1', sha256: [A, 'x'] }]),
      'error hash-format branches/8.4.json#/retired_builds/0/sha256/1 8.4.24RC1 x',
    ],
  ]);
  itFinds(hashMissing, [
    [
      'a new release without a digest',
      (data) => {
        data.promote('8.4.25');
        delete data.source('8.4.25', 2).sha256;
      },
      'error hash-missing branches/8.4.json#/current/published/source/2 8.4.25 php-8.4.25.tar.xz',
    ],
    [
      'an imported release without a digest is as it always was',
      (data) => delete data.source('8.4.24').sha256,
    ],
  ]);
  itFinds(hashUniqueInRelease, [
    [
      'the digest of gz for bz2, as 8.0.10 had',
      (data) => (data.source('8.4.24', 1).sha256 = data.source('8.4.24', 0).sha256!),
      'error hash-unique-in-release branches/8.4.json#/current/published/source/1/sha256 ' +
        'php-8.4.24.tar.bz2 d5fe6a1d7633e70645dc757461eeb7b764ff6a04d0487f076dd56f1f9d8059db',
    ],
    [
      'the digest of another release is not this rule',
      (data) => (data.source('8.4.24').sha256 = data.source('8.4.23').sha256!),
    ],
  ]);
  itFinds(hashUnique, [
    [
      'the digest of the release before',
      (data) => (data.source('8.4.24').sha256 = data.source('8.4.23').sha256!),
      'error hash-unique branches/8.4.json#/current/published/source/0/sha256 ' +
        'php-8.4.24.tar.gz f43b69572cabfb91c023356f3ce197c782d8a255bc084c1a6af58c0e86cf7573',
    ],
    [
      'a release with the digests of its own candidate, as 8.0.8 was published',
      (data) => {
        const { sha256_gz } = data.build('8.4.25').release;
        data.promote('8.4.25');
        data.source('8.4.25').sha256 = sha256_gz!;
      },
      'error hash-unique branches/8.4.json#/current/published/source/0/sha256 ' +
        'php-8.4.25.tar.gz 0d1b8936e67bae406f20691a4225b398baaa31a1dbdeea5959a553a26c9f5f86',
    ],
    ['slots without a build all have empty digests', (data) => (data.build('8.2.27').release.sha256_gz = '')],
    [
      'an invalid digest of a retired build, and one that a release repeats',
      (data) => {
        data.branch('8.4').retired_builds = [{ version: '8.4.24RC1', sha256: ['x', A] }];
        data.source('8.4.24').sha256 = A;
      },
      `error hash-unique branches/8.4.json#/current/published/source/0/sha256 php-8.4.24.tar.gz ${A}`,
    ],
    [
      'a build with the digest of an older release',
      (data) => (data.build('8.4.25').release.sha256_xz = data.source('8.4.23').sha256!),
      'error hash-unique branches/8.4.json#/pre_releases/0/release/sha256_xz php-8.4.25RC1.tar.xz ' +
        'f43b69572cabfb91c023356f3ce197c782d8a255bc084c1a6af58c0e86cf7573',
    ],
  ]);
});

describe('digests of files on disk', () => {
  const { sha256_xz: ofBuild } = REAL.branches
    .flatMap(({ pre_releases }) => pre_releases)
    .find(({ version }) => version === '8.4.25')!.release;

  it('are not recorded of what has none', () => {
    const catalogue = edited((data) => {
      data.source('8.4.24').md5 = 'f'.repeat(32);
      delete data.source('8.4.24').sha256;
      data.build('8.4.25').release.sha256_gz = '';
      delete data.build('8.4.25').release.sha256_bz2;
      data.branch('8.4').history = [];
      data.catalogue.branches = [data.branch('8.4')];
    });
    expect(recordedFiles(catalogue).map(({ name }) => name)).toEqual([
      'php-8.4.24.tar.bz2',
      'php-8.4.24.tar.xz',
      'php-8.4.25RC1.tar.xz',
    ]);
  });

  it('may be another build, as 7.4.0 and 8.1.16 were', () => {
    const found = new Map([
      ['php-8.4.24.tar.gz', 'd5fe6a1d7633e70645dc757461eeb7b764ff6a04d0487f076dd56f1f9d8059db'],
      ['php-8.4.24.tar.bz2', 'f'.repeat(64)],
      ['php-8.4.25RC1.tar.xz', ofBuild!],
      ['unknown.tar.gz', 'f'.repeat(64)],
    ]);
    expect(digestsOnDisk(REAL, found).map(brief)).toEqual([
      'error hash-on-disk branches/8.4.json#/current/published/source/1/sha256 php-8.4.24.tar.bz2 286890447588510df110ede9e9ce09f1eb4f9856630b47fdc40ece70e20373cf',
    ]);
  });
});
