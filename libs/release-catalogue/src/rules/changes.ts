import type { AuditEntry, BranchFile, Release } from '../schemas/index.ts';
import { type Catalogue, releasesOf } from '../facts/catalogue.ts';
import { feedId } from '../facts/feed-id.ts';
import { jsonChanges } from '../json-change.ts';
import { buildVersion } from '../facts/pre-release-build.ts';
import {
  type LocatedBranch,
  locatedBranches,
  error,
  locatedReleases,
  locatedReleasesOf,
  locatedSlotsOf,
  warning,
} from './location.ts';
import type { Rule } from './rule.ts';

/** Pairs of a branch before and after; branches that are new have nothing to lose. */
const changedBranches = (catalogue: Catalogue, before: Catalogue | undefined) =>
  locatedBranches(catalogue).flatMap((location) => {
    const old = before?.branches.find(({ branch }) => branch === location.branch.branch);
    // Stryker disable next-line ConditionalExpression: to compare a branch with itself only takes longer
    return old && old !== location.branch ? [{ location, old }] : [];
  });

/** A release never leaves the record: 7.3.14 and 8.0.3 were lost when the next one came. A bad one is yanked. */
export const releaseLost: Rule = (catalogue, { before }) => {
  const lostBranches = (before?.branches ?? [])
    .filter(({ branch }) => !catalogue.branches.some((other) => other.branch === branch))
    .map(({ branch }) =>
      error(
        'release-lost',
        { file: `branches/${branch}.json`, pointer: '' },
        branch,
        `branch ${branch} is gone with all its releases`,
      ),
    );
  const lostReleases = changedBranches(catalogue, before).flatMap(({ location, old }) => {
    const kept = new Set(locatedReleasesOf(location.branch).map(({ release }) => release.version));
    return locatedReleasesOf(old)
      .filter(({ release }) => !kept.has(release.version))
      .map(({ release }) =>
        error(
          'release-lost',
          location,
          release.version,
          `${release.version} is neither current nor in the history`,
        ),
      );
  });
  return [...lostBranches, ...lostReleases];
};

/** What was published stays as it is; a correction is recorded in the audit with its reason, member by member. */
export const publishedImmutable: Rule = (catalogue, { before }) =>
  changedBranches(catalogue, before).flatMap(({ location, old }) => {
    const releases = new Map(locatedReleasesOf(old).map(({ release }) => [release.version, release]));
    const touched = locatedReleasesOf(location.branch).flatMap(({ pointer, release }) => {
      const was = releases.get(release.version);
      return was
        ? undeclared(location, old, release.version, jsonChanges(lasting(was), lasting(release)), pointer)
        : [];
    });
    const builds = new Map(old.pre_releases.map((slot) => [buildVersion(slot), slot.release]));
    const rebuilt = locatedSlotsOf(location.branch)
      .filter(({ slot }) => slot.release.number > 0)
      .flatMap(({ pointer, slot }) => {
        const name = buildVersion(slot);
        const was = builds.get(name);
        return was
          ? undeclared(location, old, name, jsonChanges(was, slot.release), `${pointer}/release`)
          : [];
      });
    return [...touched, ...rebuilt];
  });

/** The audit, retired builds and what was imported are only ever added to; a build that leaves its slot is retired. */
export const recordsKept: Rule = (catalogue, { before }) =>
  changedBranches(catalogue, before).flatMap(({ location, old }) => {
    const lists = (['audit', 'retired_builds'] as const)
      .filter((list) => !startsWith(location.branch[list], old[list]))
      .map((list) =>
        error(
          'records-kept',
          location,
          `${old.branch} ${list}`,
          `${list} was altered: it is only added to`,
          `/${list}`,
        ),
      );
    const kept = new Set([
      ...location.branch.pre_releases.map(buildVersion),
      ...location.branch.retired_builds.map(({ version }) => version),
    ]);
    const dropped = old.pre_releases
      .filter((slot) => slot.release.number > 0 && !kept.has(buildVersion(slot)))
      .map((slot) =>
        error(
          'records-kept',
          location,
          buildVersion(slot),
          `${buildVersion(slot)} left its slot and is not among the retired builds`,
          '/retired_builds',
        ),
      );
    const imported =
      old.imported === location.branch.imported
        ? []
        : [
            error(
              'records-kept',
              location,
              `${old.branch} imported`,
              `imported was ${old.imported ?? 'not set'}: only an import sets it`,
              '/imported',
            ),
          ];
    return [...lists, ...dropped, ...imported];
  });

/**
 * Facts that change raise the `updated` of their file. `Last-Modified` comes from it: without that, a client that asks
 * with If-Modified-Since never sees the change.
 */
export const revisionRaised: Rule = (catalogue, { before }) => {
  if (!before) return [];
  const branches = changedBranches(catalogue, before).map(({ location, old }) => ({
    file: location.file,
    changed: jsonChanges(old, location.branch).length > 0,
    was: old.updated,
    is: location.branch.updated,
  }));
  const news = {
    file: 'news.json',
    changed: jsonChanges(before.news, catalogue.news).length > 0,
    was: before.newsUpdated,
    is: catalogue.newsUpdated,
  };
  const product = {
    file: 'product.json',
    changed: jsonChanges(before.product, catalogue.product).length > 0,
    was: before.product.updated,
    is: catalogue.product.updated,
  };
  return [...branches, news, product]
    .filter(({ changed, was, is }) => changed && is <= was)
    .map(({ file, was, is }) =>
      error(
        'revision-raised',
        { file, pointer: '/updated' },
        `${file} ${is}`,
        `${file} changed, but its updated is ${is} and was ${was}: raise it`,
      ),
    );
};

/** When the support of a branch ends changes only by a command, with its reason in the audit. */
export const supportRecorded: Rule = (catalogue, { before }) =>
  changedBranches(catalogue, before)
    .filter(({ old }) => releasesOf(old).length > 0)
    .flatMap(({ location, old }) => {
      const declared = declaredPointers(location, old, ({ reason }) => reason !== undefined);
      return jsonChanges(old.overrides ?? {}, location.branch.overrides ?? {})
        .map(({ pointer }) => `/overrides${pointer}`)
        .filter((pointer) => !declared.has(pointer))
        .map((pointer) =>
          error(
            'support-recorded',
            location,
            `${old.branch} ${pointer}`,
            `${pointer.slice(1)} changed without a record: use the command set-support`,
            pointer,
          ),
        );
    });

/** Readers know the feed, and each release in it, by an id and the instant at which it came out: neither ever changes. */
export const feedIdsKept: Rule = (catalogue, { before }) => {
  if (!before) return [];
  const { feed } = before.product;
  const product = { file: 'product.json', pointer: '' };
  const renamed =
    feed.id === catalogue.product.feed.id
      ? []
      : [
          error(
            'feed-id',
            product,
            catalogue.product.feed.id,
            `the id of the feed was ${feed.id}`,
            '/feed/id',
          ),
        ];
  const known = new Map(before.branches.flatMap(releasesOf).map((release) => [release.version, release]));
  const changed = locatedReleases(catalogue).flatMap((location) => {
    const { release } = location;
    const old = known.get(release.version);
    if (!old) return [];
    const [was, is] = [feedId(before.product, old), feedId(catalogue.product, release)];
    const isKept = was === is && (!old.feed || old.feed.published === release.feed?.published);
    const detail = `feed readers know ${release.version} by ${was}${old.feed?.published ? ` of ${old.feed.published}` : ''}: that stays`;
    return isKept ? [] : [error('feed-id', location, `${release.version} ${is}`, detail, '/feed')];
  });
  return [...renamed, ...changed];
};

/**
 * What is new is recorded later than everything that was there before. A merge may bring a change that another command
 * recorded earlier: feed readers that have seen later entries skip it.
 */
export const publicationOrder: Rule = (catalogue, { before }) => {
  if (!before) return [];
  const newest = [before.newsUpdated, ...before.branches.flatMap(({ audit }) => audit.map(({ at }) => at))]
    .sort()
    .at(-1)!;
  return changedBranches(catalogue, before).flatMap(({ location, old }) =>
    location.branch.audit
      .slice(old.audit.length)
      .flatMap(({ at, action, version }, index) =>
        at > newest
          ? []
          : [
              warning(
                'publication-order',
                location,
                `${version} ${at}`,
                `${action} ${version} was recorded at ${at}, before what was published at ${newest}: readers that have seen that skip it in feeds`,
                `/audit/${old.audit.length + index}`,
              ),
            ],
      ),
  );
};

/** The members of a release that must not change; its fixes and what feed readers know it by have rules of their own. On its way into the history php.net changes its rank, announcement and museum. */
const lasting = ({ rank: _rank, fixes: _fixes, feed: _feed, published, ...release }: Release) => {
  const { announcement: _announcement, museum: _museum, ...rest } = published;
  return { ...release, published: rest };
};

/** Changes no new audit entry of the version declares. */
const undeclared = (
  location: LocatedBranch,
  old: BranchFile,
  version: string,
  changes: readonly { pointer: string }[],
  at: string,
) => {
  const declared = declaredPointers(location, old, (entry) => entry.version === version && isReasoned(entry));
  return changes
    .filter(({ pointer }) => !declared.has(pointer))
    .map(({ pointer }) =>
      error(
        'published-immutable',
        { ...location, pointer: `${at}${pointer}` },
        `${version} ${pointer}`,
        `${version} is published: changing ${pointer.slice(1)} takes a correction with a reason in the audit`,
      ),
    );
};

/** What those of the new audit entries that count say they change. */
const declaredPointers = (
  { branch }: LocatedBranch,
  old: BranchFile,
  counts: (entry: AuditEntry) => boolean,
): Set<string> => {
  const added = branch.audit.slice(old.audit.length).filter(counts);
  // Stryker disable next-line ArrayDeclaration: what has no pointer declares nothing
  return new Set(added.flatMap(({ changes = [] }) => changes).map(({ pointer }) => pointer));
};

const isReasoned = ({ action, reason }: AuditEntry): boolean =>
  (action === 'correct' || action === 'yank') && reason !== undefined;

const startsWith = (list: readonly unknown[], start: readonly unknown[]): boolean =>
  jsonChanges(start, list.slice(0, start.length)).length === 0;
