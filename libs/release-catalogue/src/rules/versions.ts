import type { Release } from '../schemas/index.ts';
import { tarballNames } from '../facts/tarball-name.ts';
import { releasesOf } from '../facts/catalogue.ts';
import { parseBuildVersion } from '../facts/pre-release-build.ts';
import { branchOf, compareVersions } from '../facts/version.ts';
import {
  locatedBranches,
  error,
  locatedFilesOf,
  isImported,
  type Location,
  type LocatedRelease,
  locatedReleases,
  locatedReleasesOf,
  warning,
} from './location.ts';
import type { Rule } from './rule.ts';

/** A release, a slot and a retired build are in the file of their branch. `85.9` once became a branch of its own. */
export const versionInBranch: Rule = (catalogue) =>
  locatedBranches(catalogue).flatMap((location) => {
    const { branch } = location;
    return [
      ...locatedReleasesOf(branch).map(({ pointer, release }) => ({ pointer, version: release.version })),
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
          { ...location, pointer },
          version,
          `${version} is not of branch ${branch.branch}`,
          '/version',
        ),
      );
  });

/**
 * Releases and slots are numbered without a gap; a gap needs a reason in the audit: 8.4.52 for 8.4.25. What was imported has gaps
 * that nobody explained; of what was on record before, a gap is a warning.
 */
export const releaseNumber: Rule = (catalogue, { before: old }) => {
  const onRecord = new Set(
    old?.branches
      .flatMap((file) => [...releasesOf(file), ...file.pre_releases])
      .map(({ version }) => version),
  );
  return locatedBranches(catalogue).flatMap((location) => {
    const { branch } = location;
    const known = new Set([...releasesOf(branch), ...branch.pre_releases].map(({ version }) => version));
    const isExplained = (version: string): boolean =>
      branch.audit.some(
        (entry) =>
          entry.reason !== undefined &&
          (entry.version === version || parseBuildVersion(entry.version)?.version === version),
      );
    const missing = (version: string): string | undefined => {
      const patch = Number(version.split('.')[2]);
      const before = `${branch.branch}.${patch - 1}`;
      const isFine = !(patch > 0) || known.has(before) || isImported(branch, version) || isExplained(version);
      return isFine ? undefined : before;
    };
    return [
      ...locatedReleasesOf(branch).map(({ pointer, release }) => ({
        pointer,
        version: release.version,
        wayOut: 'give a reason with --reason',
      })),
      ...branch.pre_releases.map(({ version }, index) => ({
        pointer: `/pre_releases/${index}`,
        version,
        wayOut: 'open its slot with add-pre-release and a --reason',
      })),
    ].flatMap(({ pointer, version, wayOut }) => {
      const before = missing(version);
      if (before === undefined) return [];
      const detail = `${version} without ${before} on record: is the version right? If it is, ${wayOut}`;
      const found = old && !onRecord.has(version) ? error : warning;
      return [found('release-number', { ...location, pointer }, version, detail, '/version')];
    });
  });
};

/** A version is on record once. */
export const versionOnce: Rule = (catalogue) =>
  repeats(locatedReleases(catalogue), ({ release }) => release.version).map((location) =>
    error(
      'version-once',
      location,
      location.release.version,
      `${location.release.version} is on record twice`,
      '/version',
    ),
  );

/**
 * In a branch a higher version has a later date, or the same one if the release before was withdrawn; and the current release is
 * the highest.
 */
export const ascending: Rule = (catalogue) =>
  catalogue.branches.flatMap((branch) => {
    const located = locatedReleasesOf(branch).sort((a, b) =>
      compareVersions(a.release.version, b.release.version),
    );
    return located.slice(1).flatMap((location, index) => {
      const [older, newer] = [located[index]!.release, location.release];
      if (older === branch.current) return [notNewest(located[index]!, newer)];
      const isEarly = older.yanked ? newer.date < older.date : newer.date <= older.date;
      return isEarly
        ? [
            error(
              'ascending',
              location,
              `${newer.version} ${newer.date}`,
              `${newer.version} of ${newer.date} is not later than ${older.version} of ${older.date}: give it a later date${newer.date === older.date ? `, or withdraw ${older.version} first` : ''}`,
              '/date',
            ),
          ]
        : [];
    });
  });

/**
 * Source archives are called after their version, each once per release: 7.3.14 and 7.4.10 kept the names of the
 * release before. Pages that list files (`link`) are checked like names, so only imported releases may have them.
 */
export const sourceFilename: Rule = (catalogue) =>
  locatedReleases(catalogue).flatMap((location) => {
    const { branch, release } = location;
    const allowed = tarballNames(catalogue.product, release.version);
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
          location,
          `${release.version} ${name}`,
          again ? `${name} is listed twice` : `${name} is not one of ${allowed.join(', ')}`,
          `/published/source/${index}`,
        ),
      ];
    });
  });

/** A file name is on record once: a file that belongs to two releases was not bumped. */
export const filenameOnce: Rule = (catalogue) =>
  repeats(locatedReleases(catalogue).flatMap(locatedFilesOf), ({ artefact }) => artefact.filename).map(
    (location) =>
      error(
        'filename-once',
        location,
        `${location.release.version} ${location.artefact.filename}`,
        `${location.artefact.filename} is on record twice`,
        '/filename',
      ),
  );

const notNewest = (location: LocatedRelease, newer: Release) =>
  error(
    'ascending',
    location,
    `${location.release.version} ${newer.version}`,
    `${location.release.version} is current, but ${newer.version} is in the history`,
    '/version',
  );

const repeats = <P extends Location>(located: P[], keyOf: (location: P) => string): P[] => {
  const seen = new Set<string>();
  return located.filter((location) => {
    const key = keyOf(location);
    const again = seen.has(key);
    seen.add(key);
    return again;
  });
};
