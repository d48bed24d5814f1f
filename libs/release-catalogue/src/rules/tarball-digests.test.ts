import { brief, edited, REAL } from '../testing/edited-catalogue.ts';
import { digestsOnDisk, recordedFiles } from './tarball-digests.ts';

describe('digests of files on disk', () => {
  const { sha256_xz: ofBuild } = REAL.branches
    .flatMap(({ pre_releases }) => pre_releases)
    .find(({ version }) => version === '8.4.25')!.release;

  it('are those of releases and of builds on record', () => {
    const named = (name: string) => recordedFiles(REAL).find((file) => file.name === name);
    expect(named('php-8.4.24.tar.bz2')).toEqual({
      file: 'branches/8.4.json',
      pointer: '/current/published/source/1/sha256',
      name: 'php-8.4.24.tar.bz2',
      sha256: '286890447588510df110ede9e9ce09f1eb4f9856630b47fdc40ece70e20373cf',
    });
    expect(named('php-8.4.25RC1.tar.xz')).toEqual({
      file: 'branches/8.4.json',
      pointer: '/pre_releases/0/release/sha256_xz',
      name: 'php-8.4.25RC1.tar.xz',
      sha256: ofBuild,
    });
  });

  it('are not recorded of what has none', () => {
    const catalogue = edited((data) => {
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
