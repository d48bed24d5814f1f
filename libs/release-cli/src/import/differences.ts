import {
  branchOf,
  type BranchFile,
  BUILD_COMPRESSIONS,
  buildVersion,
  type Catalogue,
  compareVersions,
  digestOf,
  isoDate,
  type JsonChange,
  jsonChanges,
  type PreRelease,
  type Published,
  type PublishedRelease,
  type Release,
  releasesOf,
  type SourceFile,
  supportDates,
} from '@workspace/release-catalogue';
import type { PublishedSite } from './published-site.ts';

/** What a site publishes, compared with the data. */
export interface Differences {
  /** releases that came out after the first import and are not on record, in the order in which to take them over */
  readonly releases: readonly PublishedRelease[];
  /** slots with a build that is not on record, or without one, ahead of every release; they can be taken over */
  readonly slots: readonly PreRelease[];
  /** releases and builds of branches newer than all on record, which a person has to open first */
  readonly ofNewBranches: readonly string[];
  /** what a person has to decide, one line each; nothing of it is taken over or dropped */
  readonly reports: readonly string[];
  /** what readers are misled by until a person decides: each with what to do about it */
  readonly misleading: readonly string[];
  /** releases and builds with a file for which both have a digest, and not the same */
  readonly otherDigests: readonly string[];
}

/** Compares what a site publishes with the data. */
export const differencesWith = (site: PublishedSite, { branches }: Catalogue): Differences => {
  const known = new Map(branches.map((branch) => [branch.branch, branch]));
  const released = [...site.releases]
    .map(([version, published]) => ({ version, published, fixes: site.fixes?.get(version) }))
    .sort((a, b) => compareVersions(a.version, b.version));
  const unknown = released.filter(({ version }) => !releaseOf(known, version));
  const isLater = ({ version }: PublishedRelease): boolean => {
    const branch = known.get(branchOf(version));
    return branch !== undefined && compareVersions(version, firstFollowed(branch)) > 0;
  };
  const builds = branches.flatMap((branch) => [
    ...branch.pre_releases.map(buildVersion),
    ...branch.retired_builds.map(({ version }) => version),
  ]);
  const releasedVersions = [...branches.flatMap(releasesOf), ...released].map(({ version }) => version);
  /** The release that leaves a slot behind, on record or found in this run. */
  const overtaking = (slot: PreRelease): string | undefined =>
    releasedVersions.find(
      (version) =>
        branchOf(version) === branchOf(slot.version) && compareVersions(version, slot.version) >= 0,
    );
  const slots = site.slots ?? [];
  const newSlots = slots.filter(
    (slot) =>
      known.has(branchOf(slot.version)) &&
      !overtaking(slot) &&
      (slot.release.number > 0 ? !builds.includes(buildVersion(slot)) : !slotOf(known, slot.version)),
  );
  const newestBranch = [...known.keys()].sort(compareVersions).at(-1) ?? '0';
  const isOfNewBranch = ({ version }: { version: string }): boolean =>
    compareVersions(branchOf(version), newestBranch) > 0;
  return {
    ofNewBranches: [
      ...slots.filter((slot) => isOfNewBranch(slot) && !overtaking(slot)).map(buildVersion),
      ...unknown.filter(isOfNewBranch).map(({ version }) => version),
    ],
    releases: inOrderOf(site, known, unknown.filter(isLater)),
    slots: newSlots,
    reports: [
      ...site.unreadable,
      ...unknown
        .filter((release) => !isLater(release))
        .map(({ version }) =>
          known.has(branchOf(version))
            ? `only there: ${version}, which is older than what the data has of its branch`
            : `only there: ${version}, of a branch that is not on record`,
        ),
      ...released.flatMap(({ version, published }) =>
        changesOf(known, site, version, published).map((change) => difference(version, change)),
      ),
      ...branches.flatMap((branch) => [
        ...releasesOf(branch)
          .filter((release) => isOnlyHere(site, release))
          .map(({ version }) => `only here: ${version}`),
        ...(branch.current && site.current?.has(branch.branch) === false
          ? [`only here: ${branch.branch} in the current table; see the command retire`]
          : []),
      ]),
      ...slots
        .filter((slot) => !newSlots.includes(slot))
        .flatMap((slot) => slotChanges(known, slot, overtaking(slot))),
      ...branches.flatMap(({ pre_releases }) =>
        pre_releases
          .filter(({ version }) => site.slots?.every((slot) => slot.version !== version))
          .filter(({ version }) => !isUnreadable(site, version))
          .map(({ version }) => `only here: the slot of ${version}`),
      ),
    ],
    misleading: [
      ...branches.flatMap((branch) => [
        ...releasesOf(branch)
          .filter((release) => isOnlyHere(site, release) && wasThere(branch, release.version))
          .map(({ version }) => `${version} is not there any more: if it was withdrawn, use yank ${version}`),
        ...supportDifferences(site, branch),
        ...releasesOf(branch).flatMap((release) => fixesDifferences(site, branch, release)),
        ...branch.pre_releases
          .filter((slot) => !overtaking(slot) && wasThere(branch, buildVersion(slot)))
          .flatMap((slot) => buildDifferences(site, slot)),
      ]),
      ...released.flatMap(({ version, published }) =>
        misleadingChanges(version, changesOf(known, site, version, published)),
      ),
    ],
    otherDigests: [
      ...released
        .filter(({ version, published }) => hasOtherDigest(releaseOf(known, version)?.published, published))
        .map(({ version }) => version),
      ...slots
        .filter((slot) => {
          const here = slotOf(known, slot.version);
          return (
            here !== undefined &&
            buildVersion(here) === buildVersion(slot) &&
            BUILD_COMPRESSIONS.some((archive) =>
              isOther(digestOf(here.release, archive), digestOf(slot.release, archive)),
            )
          );
        })
        .map(buildVersion),
    ],
  };
};

/** What is newer came out while the data followed the site: the newest release of the import, else the first on record. */
const firstFollowed = (branch: BranchFile): string =>
  branch.imported ??
  releasesOf(branch)
    .map(({ version }) => version)
    .sort(compareVersions)[0] ??
  '0';

/**
 * The order in which the site published them, oldest first, as far as its history shows it: a release goes there when
 * the next of its branch comes out. Ours then gets the same order.
 */
const inOrderOf = (
  site: PublishedSite,
  branches: Branches,
  releases: readonly PublishedRelease[],
): PublishedRelease[] => {
  const places = new Map([...site.releases.keys()].map((version, index) => [version, index]));
  const placeOf = ({ version }: PublishedRelease): number =>
    places.get(branches.get(branchOf(version))?.current?.version ?? '') ?? -1;
  return [...releases].sort((a, b) => placeOf(b) - placeOf(a));
};

const hasOtherDigest = (here: Published | undefined, there: Published): boolean => {
  const files = new Map(filesOf(there).map((file) => [file.filename, file]));
  return filesOf(here).some(({ filename, sha256, md5 }) => {
    const file = files.get(filename);
    return isOther(sha256, file?.sha256) || isOther(md5, file?.md5);
  });
};

const filesOf = (published: Published | undefined): SourceFile[] =>
  [...(published?.source ?? []), ...(published?.windows ?? [])].filter((file) => 'filename' in file);

/** A digest that one side lacks is a difference like any other. */
const isOther = (here: string | undefined, there: string | undefined): boolean =>
  Boolean(here) && Boolean(there) && here !== there;

const isUnreadable = ({ unreadable }: PublishedSite, version: string): boolean =>
  unreadable.some((line) => line.startsWith(`not understood: ${version} `));

type Branches = ReadonlyMap<string, BranchFile>;

const releaseOf = (branches: Branches, version: string) => {
  const branch = branches.get(branchOf(version));
  return branch && releasesOf(branch).find((release) => release.version === version);
};

const slotOf = (branches: Branches, version: string): PreRelease | undefined =>
  branches.get(branchOf(version))?.pre_releases.find((slot) => slot.version === version);

/** What was published here by a command may never have been there. */
const wasThere = ({ audit }: BranchFile, version: string): boolean =>
  !audit.some(
    (entry) =>
      entry.version === version && (entry.action === 'promote' || entry.action === 'add-pre-release'),
  );

/** What is withdrawn here need not be there. */
const isOnlyHere = (site: PublishedSite, { version, yanked }: Release): boolean =>
  !yanked && !site.releases.has(version) && !isUnreadable(site, version);

const supportDifferences = ({ support }: PublishedSite, branch: BranchFile): string[] => {
  const there = support?.get(branch.branch);
  if (!there || releasesOf(branch).length === 0) return [];
  const dates = supportDates(branch);
  const ends = [
    ['active', dates.activeSupportEnd, there.activeSupportEnd],
    ['security', dates.securitySupportEnd, there.securitySupportEnd],
  ] as const;
  return ends.flatMap(([kind, date, theirs]) => {
    const ours = date && isoDate(date);
    return ours === theirs || theirs === null
      ? []
      : [
          `${kind} support of ${branch.branch} ends on ${theirs} there, on ${ours ?? 'no known day'} here: use set-support ${branch.branch} --${kind} ${theirs}`,
        ];
  });
};

const fixesDifferences = (
  { fixes }: PublishedSite,
  branch: BranchFile,
  { version, fixes: ours = [] }: Release,
): string[] => {
  // A site has a CVE id at the release after the one that fixed it, if that was withdrawn.
  const known = releasesOf(branch)
    .filter((release) => compareVersions(release.version, version) <= 0)
    .flatMap((release) => release.fixes ?? []);
  const missing = (fixes?.get(version) ?? []).filter((cve) => !known.includes(cve));
  return missing.length === 0
    ? []
    : [
        `${version} fixes ${missing.join(', ')} there: use correct ${version}${[...ours, ...missing].map((cve) => ` --fixes ${cve}`).join('')}`,
      ];
};

/** A build on offer here that is not there any more, or that an earlier one has replaced. */
const buildDifferences = ({ slots }: PublishedSite, slot: PreRelease): string[] => {
  if (!slots || !slot.active || slot.release.number === 0) return [];
  const there = slots.find(({ version }) => version === slot.version);
  const build = buildVersion(slot);
  if (!there || (there.release.number < slot.release.number && there.release.type === slot.release.type))
    return [`${build} is not there any more: if it was withdrawn, use yank ${build}`];
  return buildVersion(there) === build && there.release.baseurl !== slot.release.baseurl
    ? [
        `${build} is in ${there.release.baseurl} there: use correct ${build} --set '/baseurl="${there.release.baseurl}"'`,
      ]
    : [];
};

/** Of the members of a release, what says when it came out, which files it has, and whether it fixes security issues. */
const misleadingChanges = (version: string, changes: readonly JsonChange[]): string[] => {
  const pointers = changes
    .map(({ pointer }) => pointer)
    .filter((pointer) => /^\/(date|tags(\/.*)?|source\/\d+(\/(filename|link|date))?)$/.test(pointer));
  return pointers.length === 0
    ? []
    : [`${version} has another ${pointers.join(', ')} there: if that is right, use correct ${version}`];
};

const changesOf = (
  branches: Branches,
  site: PublishedSite,
  version: string,
  published: Published,
): JsonChange[] => {
  const release = releaseOf(branches, version);
  if (!release) return [];
  const isCurrentHere = branches.get(branchOf(version))?.current === release;
  const isCurrentThere = site.current && site.current.get(branchOf(version)) === version;
  // On its way into the history php.net changes these two.
  const moved = isCurrentHere === isCurrentThere ? [] : ['/announcement', '/museum'];
  return jsonChanges(release.published, published).filter(
    ({ pointer }) => !moved.some((member) => pointer === member || pointer.startsWith(`${member}/`)),
  );
};

/** A slot that is on record with other facts, or that a release has overtaken. */
const slotChanges = (branches: Branches, slot: PreRelease, overtaking: string | undefined): string[] => {
  const here = slotOf(branches, slot.version);
  const changes = jsonChanges(here ?? {}, slot);
  if (overtaking !== undefined && changes.length > 0) {
    return [`only there: the slot of ${slot.version}, which ${overtaking} has overtaken`];
  }
  return here
    ? changes.map((change) => difference(`the slot of ${slot.version}`, change))
    : [`only there: the slot of ${slot.version}`];
};

const difference = (version: string, { pointer, from, to }: ReturnType<typeof jsonChanges>[number]): string =>
  `differs: ${version} ${pointer}: here ${text(from)}, there ${text(to)}`;

const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
