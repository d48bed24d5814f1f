import type { PreRelease } from '../../data/index.ts';
import { ARCHIVES } from '../archive.ts';
import { releasesOf } from '../catalogue.ts';
import { buildVersion, digestOf } from '../pre-release-build.ts';
import { compareVersions } from '../version.ts';
import { error, type SlotPlace, slotPlaces } from './place.ts';
import type { Rule } from './rule.ts';

const STAGES = ['alpha', 'beta', 'RC'];

/**
 * A build lies in the folder of a release manager of its branch. Without the last slash (8.0.8RC1), without the tilde
 * (8.4.23RC1, which broke docker images for six days) or with another's name (8.3.27RC1) its links lead nowhere.
 */
export const buildFolder: Rule = (catalogue) => {
  const { builds, managers } = catalogue.product.downloads;
  return builtSlots(slotPlaces(catalogue)).flatMap((place) => {
    const { branch, slot } = place;
    const folders = (managers[branch.branch] ?? []).map((manager) => builds.replaceAll('{manager}', manager));
    const found = slot.release.baseurl ?? '';
    return folders.includes(found)
      ? []
      : [
          error(
            'build-folder',
            place,
            `${buildVersion(slot)} ${found}`,
            `${buildVersion(slot)} lies at "${found}", which is none of: ${folders.join(', ') || `no manager of ${branch.branch} in product.json`}`,
            '/release/baseurl',
          ),
        ];
  });
};

/** Builds are numbered without a gap, from 1 in each of alpha, beta, RC, and never go back. A gap needs a reason. */
export const buildNumber: Rule = (catalogue) =>
  builtSlots(slotPlaces(catalogue)).flatMap((place) => {
    const { slot, branch } = place;
    const name = buildVersion(slot);
    const earlier = branch.retired_builds
      .map(({ version }) => version)
      .filter(
        (version) => version.startsWith(slot.version) && /^[a-zA-Z]/.test(version.slice(slot.version.length)),
      );
    const { type, number } = slot.release;
    const later = earlier.find(
      (version) => compareBuilds(version.slice(slot.version.length), type, number) >= 0,
    );
    if (later) return [misnumbered(place, `${name} comes after ${later}`)];
    const explained = branch.audit.some(({ version, reason }) => version === name && reason !== undefined);
    if (number === 1 || explained || earlier.includes(`${slot.version}${type}${number - 1}`)) return [];
    return [misnumbered(place, `${name} without ${type}${number - 1} on record; give a reason for the gap`)];
  });

/** An active build has the SHA-256 of all three archives: an empty digest was served more than once. */
export const buildHashes: Rule = (catalogue) =>
  builtSlots(slotPlaces(catalogue))
    .filter(({ slot }) => slot.active)
    .flatMap((place) =>
      ARCHIVES.filter((archive) => !digestOf(place.slot.release, archive)).map((archive) =>
        error(
          'build-hashes',
          place,
          `${buildVersion(place.slot)} ${archive}`,
          `${buildVersion(place.slot)} has no sha256 for ${archive}`,
          `/release/sha256_${archive}`,
        ),
      ),
    );

/** An active slot is ahead of every release of its branch, and alone: stale ones stayed for up to 40 days. */
export const buildAhead: Rule = (catalogue) =>
  slotPlaces(catalogue)
    .filter(({ slot }) => slot.active)
    .flatMap((place) => {
      const { slot, branch } = place;
      const released = releasesOf(branch).find(({ version }) => compareVersions(version, slot.version) >= 0);
      const twin = branch.pre_releases.find((other) => other !== slot && other.version === slot.version);
      if (twin) {
        return [error('build-ahead', place, slot.version, `${slot.version} has two slots`, '/version')];
      }
      return released
        ? [
            error(
              'build-ahead',
              place,
              `${slot.version}-dev`,
              `${slot.version} is not ahead: ${released.version} is released`,
              '/version',
            ),
          ]
        : [];
    });

const builtSlots = (places: SlotPlace[]): SlotPlace[] => places.filter(({ slot }) => slot.release.number > 0);

/** Order of `beta2` and `RC` 1: the stage first, then the number. */
const compareBuilds = (build: string, type: PreRelease['release']['type'], number: number): number => {
  const [, stage = '', count = ''] = /^([a-zA-Z]+)(\d+)$/.exec(build) ?? [];
  return STAGES.indexOf(stage) - STAGES.indexOf(type) || Number(count) - number;
};

const misnumbered = (place: SlotPlace, detail: string) =>
  error('build-number', place, buildVersion(place.slot), detail, '/release/number');
