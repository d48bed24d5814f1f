import {
  type BranchFile,
  type Catalogue,
  compareVersions,
  isoDate,
  isSecurityRelease,
  latestRelease,
  type NewsItem,
  parseDateText,
  parseIsoDate,
  type ProductFile,
  type Release,
  releasesOf,
  type SourceFile,
  tagsOf,
} from '@workspace/release-catalogue';
import { releasePath } from './paths.ts';
import { isSupported, knownSupportDates } from './support-state.ts';

/** One entry of the feeds. */
export interface Announcement {
  /** what readers know it by; stored or made of the version, never of where the service runs */
  readonly id: string;
  readonly title: string;
  /** a page about it: absolute, or a path below the public address */
  readonly link: string;
  readonly published: Date;
  readonly updated: Date;
  readonly summary: string;
  readonly categories: readonly string[];
  /** only for releases */
  readonly release?: {
    readonly version: string;
    readonly tags: readonly string[];
    /** CVE ids */
    readonly fixes: readonly string[];
    readonly files: readonly SourceFile[];
  };
}

/** The newest release of each supported branch, highest first, then the project's news, newest first. */
export const announcements = (catalogue: Catalogue, now: Date): readonly Announcement[] => [
  ...[...catalogue.branches].reverse().flatMap((branch) => {
    const release = isSupported(branch, now) ? latestRelease(branch) : undefined;
    return release ? [releaseAnnouncement(catalogue.product, branch, release)] : [];
  }),
  ...catalogue.news.map(newsAnnouncement),
];

/** Entries of the feed of a branch: feed readers ask often, and what is older is on the branch's page. */
const BRANCH_ENTRIES = 20;

/** The newest releases of a branch, highest version first, without those that were withdrawn. */
export const branchAnnouncements = (
  { product }: Pick<Catalogue, 'product'>,
  branch: BranchFile,
): readonly Announcement[] =>
  releasesOf(branch)
    .filter(({ yanked }) => !yanked)
    .sort((a, b) => compareVersions(b.version, a.version))
    .slice(0, BRANCH_ENTRIES)
    .map((release) => releaseAnnouncement(product, branch, release));

const releaseAnnouncement = (product: ProductFile, branch: BranchFile, release: Release): Announcement => {
  const { version, fixes = [], published } = release;
  const files = published.source.filter((file): file is SourceFile => 'filename' in file);
  const day = parseIsoDate(release.date)!;
  const dates = files.flatMap(({ date }) => (date === undefined ? [] : [parseDateText(date) ?? day]));
  const tags = tagsOf(release);
  const what = isSecurityRelease(release) ? 'fixes security issues' : 'fixes bugs';
  const kind = fixes.length > 0 ? `${what} (${fixes.join(', ')})` : what;
  return {
    id: releaseId(product, release),
    title: `${product.name} ${version} released!`,
    link: releasePath(release),
    published: dates[0] ?? day,
    // A correction counts from when it was made: readers fetch an entry again when this is newer.
    updated: newest([...dates, day, ...editsOf(branch, version)]),
    summary: `${product.name} ${version} of ${isoDate(day)} ${kind}. Users of ${product.name} ${branch.branch} are asked to upgrade.`,
    categories: ['release', branch.branch, ...tags, ...fixes],
    release: { version, tags, fixes, files },
  };
};

const newsAnnouncement = (item: NewsItem): Announcement => ({
  ...item,
  published: new Date(item.published),
  updated: new Date(item.updated),
});

const releaseId = ({ feed }: ProductFile, { version, published }: Release): string =>
  (published.announcement === false ? feed.unannounced_id : feed.release_id)
    .replaceAll('{version_}', encodeURIComponent(version.replaceAll('.', '_')))
    .replaceAll('{version}', encodeURIComponent(version));

/** When published facts of a branch, or of one of its releases, were changed afterwards. */
const editsOf = ({ audit }: BranchFile, version?: string): Date[] =>
  audit
    .filter(
      (entry) =>
        (entry.action === 'correct' || entry.action === 'yank') &&
        (version === undefined || entry.version === version),
    )
    .map(({ at }) => new Date(at));

/**
 * When a feed last changed: with its newest entry, when a release was corrected or withdrawn, or when an end of support took an
 * entry away. So it never goes back.
 * @param ends of support
 */
export const feedUpdated = (
  { branches, revision }: Pick<Catalogue, 'branches' | 'revision'>,
  entries: readonly Announcement[],
  ends: readonly Date[] = [],
): Date => {
  const edits = branches.flatMap((branch) => editsOf(branch));
  const dates = [...entries.map(({ updated }) => updated), ...edits, ...ends];
  return dates.length > 0 ? newest(dates) : revision;
};

/** The ends of support that are past. */
export const pastEnds = ({ branches }: Pick<Catalogue, 'branches'>, now: Date): Date[] =>
  branches.flatMap((branch) => {
    const { securitySupportEnd: end } = knownSupportDates(branch);
    return end && end <= now ? [end] : [];
  });

/** The newest of some dates. */
const newest = (dates: readonly Date[]): Date => new Date(Math.max(...dates.map(Number)));
