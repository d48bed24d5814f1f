import {
  type AuditEntry,
  type BranchFile,
  type Catalogue,
  changeId,
  compareVersions,
  feedId,
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
import { branchPath, releasePath } from './paths.ts';
import { isSupported, knownSupportDates } from './support-state.ts';

/** One entry of the feeds. */
export interface Announcement {
  /** what readers know it by; fixed when it is published, never made of where the service runs */
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

/** Feed readers ask often: what is older is on the pages. */
const BRANCH_ENTRIES = 20;
const CHANGES = 20;

/**
 * The newest release of each supported branch, the newest withdrawals and corrections, and the project's news, newest first: some
 * readers stop at the first entry that they know. Of the same instant, highest version first.
 */
export const announcements = (catalogue: Catalogue, now: Date): readonly Announcement[] => {
  const branches = [...catalogue.branches].reverse();
  return newestFirst([
    ...newestFirst(branches.flatMap((branch) => changeAnnouncements(catalogue.product, branch))).slice(
      0,
      CHANGES,
    ),
    ...branches.flatMap((branch) => {
      const release = isSupported(branch, now) ? latestRelease(branch) : undefined;
      return release ? [releaseAnnouncement(catalogue.product, branch, release)] : [];
    }),
    ...catalogue.news.map(newsAnnouncement),
  ]);
};

/** The newest releases of a branch, without those that were withdrawn, and what was withdrawn and corrected; newest first. */
export const branchAnnouncements = (
  { product }: Pick<Catalogue, 'product'>,
  branch: BranchFile,
): readonly Announcement[] =>
  newestFirst([
    ...changeAnnouncements(product, branch),
    ...releasesOf(branch)
      .filter(({ yanked }) => !yanked)
      .sort((a, b) => compareVersions(b.version, a.version))
      .map((release) => releaseAnnouncement(product, branch, release)),
  ]).slice(0, BRANCH_ENTRIES);

const newestFirst = (entries: readonly Announcement[]): readonly Announcement[] =>
  [...entries].sort((a, b) => b.published.getTime() - a.published.getTime());

const releaseAnnouncement = (product: ProductFile, branch: BranchFile, release: Release): Announcement => {
  const { version, fixes = [], published } = release;
  const files = published.source.filter((file): file is SourceFile => 'filename' in file);
  const day = parseIsoDate(release.date)!;
  const dates = files.flatMap(({ date }) => (date === undefined ? [] : [parseDateText(date) ?? day]));
  // What was imported keeps the dates that readers know.
  const known = release.feed?.published === undefined ? [...dates, day] : [new Date(release.feed.published)];
  const tags = tagsOf(release);
  const what = isSecurityRelease(release) ? 'fixes security issues' : 'fixes bugs';
  const kind = fixes.length > 0 ? `${what} (${fixes.join(', ')})` : what;
  return {
    id: feedId(product, release),
    title: `${product.name} ${version} released!`,
    link: releasePath(release),
    published: known[0]!,
    // A correction counts from when it was made: readers fetch an entry again when this is newer.
    updated: newest([...known, ...changesOf(branch, version).map(({ at }) => new Date(at))]),
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

/** The changes of what was published before that readers are told of, by the word for it. */
const CHANGE_WORDS: Partial<Record<AuditEntry['action'], string>> = {
  yank: 'withdrawn',
  correct: 'corrected',
  'set-support': 'changed',
};

/** When published facts of a branch, or of one of its releases, were changed afterwards. */
const changesOf = ({ audit }: BranchFile, version?: string): readonly AuditEntry[] =>
  audit.filter(
    (entry) =>
      CHANGE_WORDS[entry.action] !== undefined && (version === undefined || entry.version === version),
  );

/** `Active support ends on 2027-06-30 instead of 2026-12-31`. */
const supportText = ({ changes = [] }: AuditEntry): string =>
  [
    ['Active', '/overrides/stable'],
    ['Security', '/overrides/security'],
  ]
    .flatMap(([word, pointer]) =>
      changes.filter((change) => change.pointer === pointer).map((change) => ({ word, ...change })),
    )
    .map(
      ({ word, from, to }) =>
        `${word} support ends on ${to}${from === undefined ? '' : ` instead of ${from}`}`,
    )
    .join('. ');

/** An entry of its own says what was changed: many readers show none again, and one that was withdrawn is gone. */
const changeAnnouncements = (product: ProductFile, branch: BranchFile): readonly Announcement[] =>
  changesOf(branch).map((entry) => {
    const { at, version, reason } = entry;
    const word = CHANGE_WORDS[entry.action]!;
    const isSupport = entry.action === 'set-support';
    const title = `${isSupport ? 'Support of ' : ''}${product.name} ${version} was ${word}`;
    const isOfRelease = releasesOf(branch).some((release) => release.version === version);
    return {
      id: changeId(product, entry),
      title,
      link: isOfRelease ? releasePath(entry) : branchPath(branch),
      published: new Date(at),
      updated: new Date(at),
      summary: `${isSupport ? supportText(entry) : `${title} on ${at.slice(0, 10)}`}: ${reason}`,
      categories: [isSupport ? 'support' : word, branch.branch],
    };
  });

/**
 * When a feed last changed: with its newest entry, with each withdrawal and correction, or at an instant that took an entry away.
 * So it never goes back.
 * @param removals when entries went without being withdrawn
 */
export const feedUpdated = (
  { branches, revision }: Pick<Catalogue, 'branches' | 'revision'>,
  entries: readonly Announcement[],
  removals: readonly Date[] = [],
): Date => {
  const changes = branches.flatMap((branch) => changesOf(branch)).map(({ at }) => new Date(at));
  const dates = [...entries.map(({ updated }) => updated), ...changes, ...removals];
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
