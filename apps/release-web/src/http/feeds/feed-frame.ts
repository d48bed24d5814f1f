import type { BranchFile, Catalogue } from '@workspace/release-catalogue';
import type { Snapshot } from '../../application/snapshot.ts';
import { type Announcement, feedUpdated, pastEnds } from '../../domain/announcement.ts';
import { branchPath } from '../../domain/paths.ts';
import type { Site } from '../site.ts';

/** What a feed is about: all releases, or those of one branch. */
export interface FeedFrame {
  /** what readers know the feed by */
  readonly id: string;
  readonly title: string;
  readonly updated: Date;
  /** its page, absolute */
  readonly page: string;
  /** its own address, absolute */
  readonly self: string;
  /** of a WebSub hub that notifies subscribers of new entries */
  readonly hub?: string | undefined;
}

export type FeedFormat = 'atom' | 'json';

/** The frame of the feed of all releases. */
export const siteFrame = (
  { catalogue, announcements, builtAt }: Pick<Snapshot, 'catalogue' | 'announcements' | 'builtAt'>,
  format: FeedFormat,
  { baseUrl, settings: { WEBSUB_HUB: hub } }: Site,
): FeedFrame => ({
  id: catalogue.product.feed.id,
  title: catalogue.product.feed.title,
  updated: feedUpdated(catalogue, announcements, [
    ...pastEnds(catalogue, builtAt),
    // A piece of news may have been removed.
    new Date(catalogue.newsUpdated),
  ]),
  page: `${baseUrl}/releases/`,
  self: `${baseUrl}/releases/feed.${format === 'atom' ? 'php' : 'json'}`,
  hub,
});

/** The frame of the feed of a branch. Its id, too, does not depend on where the service runs. */
export const branchFrame = (
  { product: { name, feed }, revision }: Catalogue,
  branch: BranchFile,
  entries: readonly Announcement[],
  format: FeedFormat,
  { baseUrl, settings: { WEBSUB_HUB: hub } }: Site,
): FeedFrame => ({
  id: `${feed.id}#${branch.branch}`,
  title: `${name} ${branch.branch} releases`,
  updated: feedUpdated({ branches: [branch], revision }, entries),
  page: baseUrl + branchPath(branch),
  self: `${baseUrl}${branchPath(branch)}feed.${format}`,
  hub,
});

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  gz: 'application/gzip',
  bz2: 'application/x-bzip2',
  xz: 'application/x-xz',
  zip: 'application/zip',
};

/** The media type of a file by the end of its name. */
export const mediaType = (filename: string): string =>
  MEDIA_TYPES[filename.slice(filename.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
