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
export const releaseLost: Rule = function* (catalogue, { before }) {
  for (const { branch } of before?.branches ?? [])
    if (!catalogue.branches.some((other) => other.branch === branch))
      yield error(
        { file: `branches/${branch}.json`, pointer: '' },
        branch,
        `branch ${branch} is gone with all its releases`,
      );
  for (const { location, old } of changedBranches(catalogue, before)) {
    const kept = new Set(releasesOf(location.branch).map(({ version }) => version));
    for (const { version } of releasesOf(old))
      if (!kept.has(version))
        yield error(location, version, `${version} is neither current nor in the history`);
  }
};

/** What was published stays as it is; a correction is recorded in the audit with its reason, member by member. */
export const publishedImmutable: Rule = function* (catalogue, { before }) {
  for (const { location, old } of changedBranches(catalogue, before)) {
    const releases = new Map(releasesOf(old).map((release) => [release.version, release]));
    for (const { pointer, release } of locatedReleasesOf(location.branch)) {
      const was = releases.get(release.version);
      if (was)
        yield* undeclared(
          location,
          old,
          release.version,
          jsonChanges(lasting(was), lasting(release)),
          pointer,
        );
    }
    const builds = new Map(old.pre_releases.map((slot) => [buildVersion(slot), slot.release]));
    for (const { pointer, slot } of locatedSlotsOf(location.branch)) {
      const name = buildVersion(slot);
      const was = slot.release.number > 0 && builds.get(name);
      if (was) yield* undeclared(location, old, name, jsonChanges(was, slot.release), `${pointer}/release`);
    }
  }
};

/** The audit, retired builds and what was imported are only ever added to; a build that leaves its slot is retired. */
export const recordsKept: Rule = function* (catalogue, { before }) {
  for (const { location, old } of changedBranches(catalogue, before)) {
    const { branch } = location;
    for (const list of ['audit', 'retired_builds'] as const)
      if (!startsWith(branch[list], old[list]))
        yield error(
          location,
          `${old.branch} ${list}`,
          `${list} was altered: it is only added to`,
          `/${list}`,
        );
    const kept = new Set([
      ...branch.pre_releases.map(buildVersion),
      ...branch.retired_builds.map(({ version }) => version),
    ]);
    for (const slot of old.pre_releases) {
      const build = buildVersion(slot);
      if (slot.release.number > 0 && !kept.has(build))
        yield error(
          location,
          build,
          `${build} left its slot and is not among the retired builds`,
          '/retired_builds',
        );
    }
    if (old.imported !== branch.imported)
      yield error(
        location,
        `${old.branch} imported`,
        `imported was ${old.imported ?? 'not set'}: only an import sets it`,
        '/imported',
      );
  }
};

/**
 * Facts that change raise the `updated` of their file. `Last-Modified` comes from it: without that, a client that asks
 * with If-Modified-Since never sees the change.
 */
export const revisionRaised: Rule = function* (catalogue, { before }) {
  if (!before) return;
  const { news, newsUpdated, product } = catalogue;
  const files: [file: string, from: unknown, to: unknown, was: string, is: string][] = [
    ...changedBranches(catalogue, before).map(
      ({ location: { file, branch }, old }) =>
        [file, old, branch, old.updated, branch.updated] as (typeof files)[number],
    ),
    ['news.json', before.news, news, before.newsUpdated, newsUpdated],
    ['product.json', before.product, product, before.product.updated, product.updated],
  ];
  for (const [file, from, to, was, is] of files)
    if (is <= was && jsonChanges(from, to).length > 0)
      yield error(
        { file, pointer: '/updated' },
        `${file} ${is}`,
        `${file} changed, but its updated is ${is} and was ${was}: raise it`,
      );
};

/** When the support of a branch ends changes only by a command, with its reason in the audit. */
export const supportRecorded: Rule = function* (catalogue, { before }) {
  for (const { location, old } of changedBranches(catalogue, before)) {
    if (releasesOf(old).length === 0) continue;
    const declared = declaredPointers(location, old, ({ reason }) => reason !== undefined);
    for (const change of jsonChanges(old.overrides ?? {}, location.branch.overrides ?? {})) {
      const pointer = `/overrides${change.pointer}`;
      if (!declared.has(pointer))
        yield error(
          location,
          `${old.branch} ${pointer}`,
          `${pointer.slice(1)} changed without a record: use the command set-support`,
          pointer,
        );
    }
  }
};

/** Readers know the feed, and each release in it, by an id and the instant at which it came out: neither ever changes. */
export const feedIdsKept: Rule = function* (catalogue, { before }) {
  if (!before) return;
  const { feed } = before.product;
  const { id } = catalogue.product.feed;
  if (feed.id !== id)
    yield error({ file: 'product.json', pointer: '' }, id, `the id of the feed was ${feed.id}`, '/feed/id');
  const known = new Map(before.branches.flatMap(releasesOf).map((release) => [release.version, release]));
  for (const location of locatedReleases(catalogue)) {
    const { release } = location;
    const old = known.get(release.version);
    if (!old) continue;
    const [was, is] = [feedId(before.product, old), feedId(catalogue.product, release)];
    if (was === is && (!old.feed || old.feed.published === release.feed?.published)) continue;
    const detail = `feed readers know ${release.version} by ${was}${old.feed?.published ? ` of ${old.feed.published}` : ''}: that stays`;
    yield error(location, `${release.version} ${is}`, detail, '/feed');
  }
};

/**
 * What is new is recorded later than everything that was there before. A merge may bring a change that another command
 * recorded earlier: feed readers that have seen later entries skip it.
 */
export const publicationOrder: Rule = function* (catalogue, { before }) {
  if (!before) return;
  const newest = [before.newsUpdated, ...before.branches.flatMap(({ audit }) => audit.map(({ at }) => at))]
    .sort()
    .at(-1)!;
  for (const { location, old } of changedBranches(catalogue, before))
    for (const [index, { at, action, version }] of location.branch.audit.entries())
      if (index >= old.audit.length && at <= newest)
        yield warning(
          location,
          `${version} ${at}`,
          `${action} ${version} was recorded at ${at}, before what was published at ${newest}: readers that have seen that skip it in feeds`,
          `/audit/${index}`,
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
