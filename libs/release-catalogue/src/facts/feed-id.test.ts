import { edited, REAL } from '../testing/edited-catalogue.ts';
import type { Release } from '../schemas/index.ts';
import { changeId, feedId, filledIn, tagUri, withKeptFeedId } from './feed-id.ts';

const { product } = REAL;
const releaseWith = (
  more: Partial<Release>,
  announcement?: Release['published']['announcement'],
): Release => {
  const release = edited(() => undefined).branches.find(({ branch }) => branch === '8.4')!.current!;
  const { announcement: _, ...published } = release.published;
  return {
    ...release,
    published: { ...published, ...(announcement !== undefined && { announcement }) },
    ...more,
  };
};

describe('ids in feeds', () => {
  it.each([
    [releaseWith({}, true), 'http://php.net/releases/8_4_24.php'],
    [releaseWith({}), 'http://php.net/releases/8_4_24.php'],
    [releaseWith({}, false), 'https://qa.php.net/#8.4.24'],
    [releaseWith({ feed: { id: 'tag:x,2026:y', published: '2026-07-30T00:00:00Z' } }, false), 'tag:x,2026:y'],
  ])('are made of the version, or kept', (release, id) => {
    expect(feedId(product, release)).toBe(id);
  });

  it('fill in each name, each time, as part of an address', () => {
    expect(filledIn('/{major}/{branch}/{version}/{version_}#{version}', '8.4.25')).toBe(
      '/8/8.4/8.4.25/8_4_25#8.4.25',
    );
    expect(filledIn('/{version}', '3.0.x (latest)')).toBe('/3.0.x%20(latest)');
  });

  it('of changes are tags of the authority of the feed and the year', () => {
    const entry = { at: '2026-11-26T10:00:00Z', action: 'correct' as const, version: '3.0.x (latest)' };
    expect(changeId(product, entry)).toBe('tag:php.net,2026:changes/3.0.x%20(latest)/2026-11-26T10:00:00Z');
    expect(tagUri('https://x.example:8080/feed', '2025', 'a')).toBe('tag:x.example,2025:a');
  });
});

describe('withKeptFeedId', () => {
  it('leaves a release alone that is known by the same id', () => {
    const after = releaseWith({ date: '2026-07-31' }, true);
    expect(withKeptFeedId(product, releaseWith({}, true), after)).toBe(after);
  });

  it('leaves a release alone that is still not announced', () => {
    const after = releaseWith({ date: '2026-07-31' }, false);
    expect(withKeptFeedId(product, releaseWith({}, false), after)).toBe(after);
  });

  it('keeps the id of a release that is announced later', () => {
    const before = releaseWith({}, false);
    const after = releaseWith({ date: '2026-07-31' }, true);
    expect(withKeptFeedId(product, before, after)).toEqual({
      ...after,
      feed: { id: 'https://qa.php.net/#8.4.24' },
    });
  });

  it('keeps an id that was fixed, and the instant beside the new one', () => {
    const before = releaseWith({ feed: { id: 'tag:x,2026:y', published: '2026-07-30T00:00:00Z' } }, true);
    const feed = { id: 'tag:x,2026:z', published: '2026-07-31T00:00:00Z' };
    expect(withKeptFeedId(product, before, releaseWith({ feed }, true)).feed).toEqual({
      ...feed,
      id: 'tag:x,2026:y',
    });
  });

  it('knows a release whose version changes by what it was', () => {
    const before = releaseWith({}, true);
    const after = releaseWith({ version: '8.4.99' }, true);
    expect(withKeptFeedId(product, before, after)).toBe(after);
  });

  it.each([undefined, null])('takes a release whose published is %s', (published) => {
    const before = releaseWith({}, false);
    const after = { ...before, published } as unknown as Release;
    expect(withKeptFeedId(product, before, after).feed).toEqual({ id: 'https://qa.php.net/#8.4.24' });
  });
});
