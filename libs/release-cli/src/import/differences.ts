import {
  branchOf,
  type BranchFile,
  buildVersion,
  type Catalogue,
  compareVersions,
  jsonChanges,
  type PreRelease,
  type Published,
  type PublishedRelease,
  releasesOf,
} from '@workspace/release-catalogue';
import type { PublishedSite } from './published-site.ts';

/** What a site publishes, compared with the data. */
export interface Differences {
  /** releases that are newer than all of their branch, ascending; they can be taken over */
  readonly releases: readonly PublishedRelease[];
  /** slots with a build that is not on record, or without one; they can be taken over */
  readonly slots: readonly PreRelease[];
  /** what a person has to decide, one line each; nothing of it is taken over or dropped */
  readonly reports: readonly string[];
}

/** Compares what a site publishes with the data. */
export const differencesWith = (site: PublishedSite, { branches }: Catalogue): Differences => {
  const known = new Map(branches.map((branch) => [branch.branch, branch]));
  const released = [...site.releases]
    .map(([version, published]) => ({ version, published }))
    .sort((a, b) => compareVersions(a.version, b.version));
  const unknown = released.filter(({ version }) => !releaseOf(known, version));
  const isNewer = ({ version }: PublishedRelease): boolean => {
    const branch = known.get(branchOf(version));
    return (
      branch !== undefined &&
      site.current.has(branch.branch) &&
      releasesOf(branch).every((release) => compareVersions(release.version, version) < 0)
    );
  };
  const builds = branches.flatMap((branch) => [
    ...branch.pre_releases.map(buildVersion),
    ...branch.retired_builds.map(({ version }) => version),
  ]);
  const newSlots = site.slots.filter(
    (slot) =>
      known.has(branchOf(slot.version)) &&
      !releaseOf(known, slot.version) &&
      (slot.release.number > 0 ? !builds.includes(buildVersion(slot)) : !slotOf(known, slot.version)),
  );
  return {
    releases: unknown.filter(isNewer),
    slots: newSlots,
    reports: [
      ...site.unreadable,
      ...unknown
        .filter((release) => !isNewer(release))
        .map(({ version }) =>
          known.has(branchOf(version))
            ? `only there: ${version}, which is not newer than the releases on record`
            : `only there: ${version}, of a branch that is not on record`,
        ),
      ...released.flatMap(({ version, published }) => changesOf(known, site, version, published)),
      ...branches.flatMap((branch) => [
        ...releasesOf(branch)
          .filter(({ version }) => !site.releases.has(version) && !isUnreadable(site, version))
          .map(({ version }) => `only here: ${version}`),
        ...(branch.current && !site.current.has(branch.branch)
          ? [`only here: ${branch.branch} in the current table; see the command retire`]
          : []),
      ]),
      ...site.slots.filter((slot) => !newSlots.includes(slot)).flatMap((slot) => slotChanges(known, slot)),
      ...branches.flatMap(({ pre_releases }) =>
        pre_releases
          .filter(({ version }) => !site.slots.some((slot) => slot.version === version))
          .filter(({ version }) => !isUnreadable(site, version))
          .map(({ version }) => `only here: the slot of ${version}`),
      ),
    ],
  };
};

const isUnreadable = ({ unreadable }: PublishedSite, version: string): boolean =>
  unreadable.some((line) => line.startsWith(`not understood: ${version} `));

type Branches = ReadonlyMap<string, BranchFile>;

const releaseOf = (branches: Branches, version: string) => {
  const branch = branches.get(branchOf(version));
  return branch && releasesOf(branch).find((release) => release.version === version);
};

const slotOf = (branches: Branches, version: string): PreRelease | undefined =>
  branches.get(branchOf(version))?.pre_releases.find((slot) => slot.version === version);

const changesOf = (
  branches: Branches,
  site: PublishedSite,
  version: string,
  published: Published,
): string[] => {
  const release = releaseOf(branches, version);
  if (!release) return [];
  const isCurrentHere = branches.get(branchOf(version))?.current === release;
  const isCurrentThere = site.current.get(branchOf(version)) === version;
  // On its way into the history php.net changes these two.
  const moved = isCurrentHere === isCurrentThere ? [] : ['/announcement', '/museum'];
  return jsonChanges(release.published, published)
    .filter(({ pointer }) => !moved.some((member) => pointer === member || pointer.startsWith(`${member}/`)))
    .map((change) => difference(version, change));
};

/** A slot that is on record with other facts. */
const slotChanges = (branches: Branches, slot: PreRelease): string[] => {
  const here = slotOf(branches, slot.version);
  if (!here) return [`only there: the slot of ${slot.version}`];
  return jsonChanges(here, slot).map((change) => difference(`the slot of ${slot.version}`, change));
};

const difference = (version: string, { pointer, from, to }: ReturnType<typeof jsonChanges>[number]): string =>
  `differs: ${version} ${pointer}: here ${text(from)}, there ${text(to)}`;

const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
