import type { Release } from '../../data/index.ts';
import { archiveNames } from '../archive.ts';
import { majorOf } from '../catalogue.ts';
import { branchOf, compareVersions } from '../version.ts';
import {
  branchPlaces,
  error,
  filePlacesOf,
  isImported,
  type Place,
  type ReleasePlace,
  releasePlaces,
  releasePlacesOf,
} from './place.ts';
import type { Rule } from './rule.ts';

/** A release, a slot and a retired build stand in the file of their branch. `85.9` once became a branch of its own. */
export const versionInBranch: Rule = (catalogue) =>
  branchPlaces(catalogue).flatMap((place) => {
    const { branch } = place;
    return [
      ...releasePlacesOf(branch).map(({ pointer, release }) => ({ pointer, version: release.version })),
      ...branch.pre_releases.map(({ version }, index) => ({ pointer: `/pre_releases/${index}`, version })),
      ...branch.retired_builds.map(({ version }, index) => ({
        pointer: `/retired_builds/${index}`,
        version,
      })),
    ]
      .filter(({ version }) => branchOf(version) !== branch.branch)
      .map(({ pointer, version }) =>
        error(
          'version-in-branch',
          { ...place, pointer },
          version,
          `${version} is not of branch ${branch.branch}`,
          '/version',
        ),
      );
  });

/** A version is on record once. */
export const versionOnce: Rule = (catalogue) =>
  repeats(releasePlaces(catalogue), ({ release }) => release.version).map((place) =>
    error(
      'version-once',
      place,
      place.release.version,
      `${place.release.version} is on record twice`,
      '/version',
    ),
  );

/** A place in a table of a major version is taken once: the order of php.net's tables follows from it. */
export const rankOnce: Rule = (catalogue) =>
  repeats(releasePlaces(catalogue), tablePlace).map((place) =>
    error(
      'rank-once',
      place,
      `${place.release.version} ${place.release.rank}`,
      `rank ${place.release.rank} of the ${tableOf(place)} table is taken twice`,
      '/rank',
    ),
  );

/** In a branch a higher version has a later date, and the current release is the highest. */
export const ascending: Rule = (catalogue) =>
  catalogue.branches.flatMap((branch) => {
    const places = releasePlacesOf(branch).sort((a, b) =>
      compareVersions(a.release.version, b.release.version),
    );
    return places.slice(1).flatMap((place, index) => {
      const [older, newer] = [places[index]!.release, place.release];
      if (older === branch.current) return [notNewest(places[index]!, newer)];
      return newer.date <= older.date
        ? [
            error(
              'ascending',
              place,
              `${newer.version} ${newer.date}`,
              `${newer.version} of ${newer.date} is not later than ${older.version} of ${older.date}`,
              '/date',
            ),
          ]
        : [];
    });
  });

/**
 * Source archives are called after their version, each once per release: 7.3.14 and 7.4.10 kept the names of the
 * release before. Pages that list files (`link`) are judged like names, so only imported releases may have them.
 */
export const sourceFilename: Rule = (catalogue) =>
  releasePlaces(catalogue).flatMap((place) => {
    const { branch, release } = place;
    const allowed = archiveNames(catalogue.product, release.version);
    const names = new Set<string>();
    return release.published.source.flatMap((source, index) => {
      const name = 'filename' in source ? source.filename : source.link;
      const again = names.has(name);
      names.add(name);
      if ('link' in source && isImported(branch, release.version)) return [];
      if (!again && allowed.includes(name)) return [];
      return [
        error(
          'source-filename',
          place,
          `${release.version} ${name}`,
          again ? `${name} is listed twice` : `${name} is none of ${allowed.join(', ')}`,
          `/published/source/${index}`,
        ),
      ];
    });
  });

/** A file name is on record once: a file that belongs to two releases was not bumped. */
export const filenameOnce: Rule = (catalogue) =>
  repeats(releasePlaces(catalogue).flatMap(filePlacesOf), ({ artefact }) => artefact.filename).map((place) =>
    error(
      'filename-once',
      place,
      `${place.release.version} ${place.artefact.filename}`,
      `${place.artefact.filename} is on record twice`,
      '/filename',
    ),
  );

const notNewest = (place: ReleasePlace, newer: Release) =>
  error(
    'ascending',
    place,
    `${place.release.version} ${newer.version}`,
    `${place.release.version} is current, but ${newer.version} is in the history`,
    '/version',
  );

const tableOf = ({ pointer, release }: ReleasePlace): string =>
  `${pointer === '/current' ? 'current' : 'history'} ${majorOf(release.version)}.x`;

const tablePlace = (place: ReleasePlace): string => `${tableOf(place)} ${place.release.rank}`;

const repeats = <P extends Place>(places: P[], keyOf: (place: P) => string): P[] => {
  const seen = new Set<string>();
  return places.filter((place) => {
    const key = keyOf(place);
    const again = seen.has(key);
    seen.add(key);
    return again;
  });
};
