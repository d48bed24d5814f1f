import { publishedPath } from './documents.ts';
import { anchorOf, siteLink } from './links.ts';

const all = [
  'README.md',
  'LICENSE',
  'apps/web/README.md',
  'apps/web/docs/errors.md',
  'apps/web/docs/page.png',
  'apps/web/src/app.ts',
  'docker/README.md',
];
const files = {
  all: new Set(all),
  published: new Map(all.filter((file) => /md$|png$/.test(file)).map((file) => [file, publishedPath(file)])),
};
const linkFrom = (source: string, link: string, repository?: string) =>
  siteLink(source, link, { files, repository });

describe('siteLink', () => {
  it.each([
    ['README.md', 'apps/web/docs/errors.md#codes', './web/errors.md#codes'],
    ['README.md', 'docker', './docker/index.md'],
    ['README.md', 'docker/', './docker/index.md'],
    ['apps/web/docs/errors.md', '../README.md', './index.md'],
    ['apps/web/README.md', '../../README.md#run', '../index.md#run'],
    ['apps/web/README.md', 'docs/page.png', '/web/page.png'],
    ['README.md', '#run', '#run'],
    ['README.md', 'https://example.org/a.md', 'https://example.org/a.md'],
  ])('in %s to %s is %s', (source, link, expected) => {
    expect(linkFrom(source, link)).toBe(expected);
  });

  it('leads to source files in the repository when its address is known', () => {
    expect(linkFrom('apps/web/docs/errors.md', '../src/app.ts')).toBeUndefined();
    const repository = 'https://example.org/owner/name';
    expect(linkFrom('apps/web/docs/errors.md', '../src/app.ts', repository)).toBe(
      `${repository}/blob/HEAD/apps/web/src/app.ts`,
    );
    expect(linkFrom('apps/web/README.md', 'src', repository)).toBe(`${repository}/tree/HEAD/apps/web/src`);
    expect(linkFrom('README.md', 'LICENSE', repository)).toBe(`${repository}/blob/HEAD/LICENSE`);
  });

  it('refuses what does not exist, with the file it is in', () => {
    expect(() => linkFrom('README.md', 'apps/web/docs/gone.md')).toThrow(
      'dead link in README.md: apps/web/docs/gone.md',
    );
    expect(() => linkFrom('README.md', 'apps/we')).toThrow('dead link');
  });
});

it.each([
  ['Retry safely: Idempotency-Key', 'retry-safely-idempotency-key'],
  ['What `KAFKA_PRODUCERS` does', 'what-kafka_producers-does'],
  ["Keep an account's submissions", 'keep-an-accounts-submissions'],
])('anchorOf %s is that of GitHub', (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});
