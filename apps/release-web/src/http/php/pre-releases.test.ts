import { edited, REAL } from '@workspace/release-catalogue/testing';
import type { Build, PreRelease } from '@workspace/release-catalogue';
import { phpJson } from './php-value.ts';
import { preReleaseView } from '../api/pre-releases.ts';
import { preReleaseRecords, preReleasesKeyed } from './pre-release-builds.ts';

const build = (more: Partial<Build>): Build => ({ type: 'RC', number: 1, ...more });
const slot = (version: string, more: Partial<Build>, active = true): PreRelease => ({
  version,
  active,
  release: build(more),
});
const keyed = (...slots: PreRelease[]) => phpJson(preReleasesKeyed(REAL.product, slots));

describe('the keyed shape', () => {
  it('is an empty array without slots', () => {
    expect(keyed()).toBe('[]');
  });

  it('keeps stored members in order, then version and files of each digest on record', () => {
    expect(keyed(slot('8.5.1', { sha256_xz: 'x', sha256_bz2: '', date: '1 May 2026', baseurl: 'b/' }))).toBe(
      '{"8.5.1":{"active":true,"release":{"type":"RC","number":1,"sha256_xz":"x","sha256_bz2":"","date":"1 May 2026",' +
        '"baseurl":"b\\/","version":"8.5.1RC1","files":{"bz2":{"sha256":"","path":"b\\/php-8.5.1RC1.tar.bz2"},' +
        '"xz":{"sha256":"x","path":"b\\/php-8.5.1RC1.tar.xz"}}},"dev_version":"8.5.1-dev"},' +
        '"reported":["8.5.1-dev","8.5.1RC1"],"releases":{"8.5.1":{"type":"RC","number":1,"sha256_xz":"x",' +
        '"sha256_bz2":"","date":"1 May 2026","baseurl":"b\\/","version":"8.5.1RC1","files":{"bz2":{"sha256":"",' +
        '"path":"b\\/php-8.5.1RC1.tar.bz2"},"xz":{"sha256":"x","path":"b\\/php-8.5.1RC1.tar.xz"}}}}}',
    );
  });

  it('calls archives as the product does', () => {
    const { product } = edited(({ catalogue }) => {
      catalogue.product.downloads.filename = 'tool-{version}-src.tar.{archive}';
    });
    const slots = [slot('1.2.0', { sha256_xz: 'x', baseurl: 'https://dl.example/' })];
    expect(phpJson(preReleasesKeyed(product, slots))).toContain(
      '"path":"https:\\/\\/dl.example\\/tool-1.2.0RC1-src.tar.xz"',
    );
    expect(preReleaseView(product, slots[0]!).files).toEqual([
      { url: 'https://dl.example/tool-1.2.0RC1-src.tar.xz', sha256: 'x' },
    ]);
  });

  it('says enabled:false for a build without digests', () => {
    expect(keyed(slot('8.5.1', { baseurl: 'b/' }))).toContain(
      '"baseurl":"b\\/","version":"8.5.1RC1","enabled":false}',
    );
  });

  it('adds nothing without a base URL', () => {
    expect(keyed(slot('8.5.1', { sha256_gz: 'x', baseurl: '' }))).toContain(
      '"release":{"type":"RC","number":1,"sha256_gz":"x","baseurl":""},"dev_version"',
    );
  });

  it('says enabled:false before the first build and leaves it out of releases', () => {
    expect(keyed(slot('8.5.1', { number: 0 }))).toBe(
      '{"8.5.1":{"active":true,"release":{"type":"RC","number":0,"enabled":false},"dev_version":"8.5.1-dev"},"reported":["8.5.1-dev"]}',
    );
  });

  it('gives an inactive slot as stored, reported nowhere', () => {
    expect(keyed(slot('8.5.1', { sha256_gz: 'x', baseurl: 'b/' }, false))).toBe(
      '{"8.5.1":{"active":false,"release":{"type":"RC","number":1,"sha256_gz":"x","baseurl":"b\\/"}}}',
    );
  });
});

describe('the records', () => {
  it('have ten members, absent ones empty', () => {
    expect(phpJson(preReleaseRecords([slot('8.5.1', { sha256_gz: 'x', baseurl: 'b/' })]))).toBe(
      '[{"version":"8.5.1","active":true,"release":{"type":"RC","number":1},"sha256_gz":"x","sha256_bz2":"",' +
        '"sha256_xz":"","date":"","baseurl":"b\\/","enabled":true,"dev_version":"8.5.1-dev"}]',
    );
  });
});
