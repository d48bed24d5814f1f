import type { AuditEntry, ProductFile, Release } from '../schemas/index.ts';
import { majorOf } from './catalogue.ts';
import { branchOf } from './version.ts';

/** What feed readers know a release by: fixed when it was published, or made of the version for what was imported. */
export const feedId = ({ feed }: Pick<ProductFile, 'feed'>, release: Release): string =>
  release.feed?.id ??
  filledIn(release.published.announcement === false ? feed.unannounced_id : feed.release_id, release.version);

/** An address of product.json for a version: `{version}` is 8.4.24, `{version_}` 8_4_24, `{branch}` 8.4, `{major}` 8. */
export const filledIn = (template: string, version: string): string =>
  Object.entries({
    '{version_}': version.replaceAll('.', '_'),
    '{version}': version,
    '{branch}': branchOf(version),
    '{major}': String(majorOf(version)),
  }).reduce((address, [name, value]) => address.replaceAll(name, encodeURIComponent(value)), template);

/** What feed readers know a recorded change by: `tag:php.net,2026:changes/8.4.25/2026-11-26T10:00:00Z`, RFC 4151. */
export const changeId = ({ feed }: Pick<ProductFile, 'feed'>, { at, version }: AuditEntry): string =>
  tagUri(feed.id, at.slice(0, 4), `changes/${encodeURIComponent(version)}/${at}`);

/** A `tag:` URI of the authority of the feed. */
export const tagUri = (feed: string, year: string, specific: string): string =>
  `tag:${new URL(feed).hostname},${year}:${specific}`;

/**
 * The release under the id that feed readers know it by, whatever has changed in it.
 * @param after checked later: it may have any shape
 */
export const withKeptFeedId = (
  product: Pick<ProductFile, 'feed'>,
  before: Release,
  after: Release,
): Release => {
  const id = feedId(product, before);
  const { published, ...facts } = after;
  const { announcement } = (published as Release['published'] | null | undefined) ?? {};
  const now = {
    ...before,
    ...facts,
    version: before.version,
    published: { ...before.published, announcement },
  };
  return feedId(product, now as Release) === id
    ? after
    : { ...facts, feed: { ...facts.feed, id }, published };
};
