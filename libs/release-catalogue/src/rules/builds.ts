import type { Build } from '../schemas/index.ts';
import { COMPRESSIONS } from '../facts/tarball-name.ts';
import { type Catalogue, releasesOf } from '../facts/catalogue.ts';
import { buildVersion, digestOf, parseBuildVersion } from '../facts/pre-release-build.ts';
import { compareVersions } from '../facts/version.ts';
import { error, type LocatedSlot, locatedSlots, recordOf, warning } from './location.ts';
import type { Rule } from './rule.ts';

// Stryker disable next-line StringLiteral: what is not listed comes first, as alpha does
const STAGES = ['alpha', 'beta', 'RC'];

/**
 * A build is in the folder of a release manager of its branch. Without the last slash (8.0.8RC1), without the tilde
 * (8.4.23RC1, which broke docker images for six days) or with another's name (8.3.27RC1) its links lead nowhere. Another
 * site may know a manager that product.json does not name: that of a build taken over from there is a warning.
 */
export const buildFolder: Rule = function* (catalogue) {
  const { builds, managers } = catalogue.product.downloads;
  for (const location of builtSlots(catalogue)) {
    const { branch, slot } = location;
    const folders = (managers[branch.branch] ?? []).map((manager) => builds.replaceAll('{manager}', manager));
    const found = slot.release.baseurl ?? '';
    if (folders.includes(found)) continue;
    const isOfUnknownManager =
      recordOf(branch, buildVersion(slot))?.action === 'import' && isManagerFolder(builds, found);
    yield (isOfUnknownManager ? warning : error)(
      location,
      `${buildVersion(slot)} ${found}`,
      `${buildVersion(slot)} is at "${found}", which is not one of: ${folders.join(', ') || `(product.json names no release manager of ${branch.branch})`}`,
      '/release/baseurl',
    );
  }
};

/** Whether it would be the folder of a release manager if product.json named them. */
const isManagerFolder = (builds: string, folder: string): boolean =>
  folder.match(/[a-z0-9_-]+/g)?.some((manager) => folder === builds.replaceAll('{manager}', manager)) ??
  false;

/** Builds are numbered without a gap, from 1 in each of alpha, beta, RC, and never go back. A gap needs a reason. */
export const buildNumber: Rule = function* (catalogue) {
  for (const location of builtSlots(catalogue)) {
    const { slot, branch } = location;
    const name = buildVersion(slot);
    const misnumbered = (detail: string) => error(location, name, detail, '/release/number');
    const earlier = branch.retired_builds
      .map(({ version }) => version)
      .filter((version) => parseBuildVersion(version)?.version === slot.version);
    const { type, number } = slot.release;
    const later = earlier.find((version) => compareBuilds(parseBuildVersion(version)!, slot.release) >= 0);
    const explained = branch.audit.some(({ version, reason }) => version === name && reason !== undefined);
    if (later) yield misnumbered(`${name} comes after ${later}`);
    else if (number > 1 && !explained && !earlier.includes(`${slot.version}${type}${number - 1}`))
      yield misnumbered(`${name} without ${type}${number - 1} on record; give a reason for the gap`);
  }
};

/** An active build has the SHA-256 of all three archives: an empty digest was served more than once. */
export const buildHashes: Rule = function* (catalogue) {
  for (const location of builtSlots(catalogue)) {
    const { active, release } = location.slot;
    const name = buildVersion(location.slot);
    for (const archive of COMPRESSIONS)
      if (active && !digestOf(release, archive))
        yield error(
          location,
          `${name} ${archive}`,
          `${name} has no sha256 for ${archive}`,
          `/release/sha256_${archive}`,
        );
  }
};

/** An active slot is ahead of every release of its branch, and alone: stale ones stayed for up to 40 days. */
export const buildAhead: Rule = function* (catalogue) {
  for (const location of locatedSlots(catalogue)) {
    const { slot, branch } = location;
    if (!slot.active) continue;
    const { version } = slot;
    const released = releasesOf(branch).find((release) => compareVersions(release.version, version) >= 0);
    if (branch.pre_releases.some((other) => other !== slot && other.version === version))
      yield error(location, version, `${version} has two slots`, '/version');
    else if (released)
      yield error(
        location,
        `${version}-dev`,
        `${version} is not ahead: ${released.version} is released`,
        '/version',
      );
  }
};

const builtSlots = (catalogue: Catalogue): LocatedSlot[] =>
  locatedSlots(catalogue).filter(({ slot }) => slot.release.number > 0);

type Numbered = Pick<Build, 'type' | 'number'>;

/** Order of beta2 and RC1: the stage first, then the number. */
const compareBuilds = (a: Numbered, b: Numbered): number =>
  STAGES.indexOf(a.type) - STAGES.indexOf(b.type) || a.number - b.number;
