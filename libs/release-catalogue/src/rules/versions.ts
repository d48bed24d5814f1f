import type { BranchFile } from '../schemas/index.ts';
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
  locatedReleases,
  locatedReleasesOf,
  locatedSlotsOf,
  warning,
} from './location.ts';
import type { Rule } from './rule.ts';

/** A release, a slot and a retired build are in the file of their branch. `85.9` once became a branch of its own. */
export const versionInBranch: Rule = function* (catalogue) {
  for (const location of locatedBranches(catalogue)) {
    const { branch } = location;
    const located = [
      ...locatedReleasesOf(branch).map(({ pointer, release }) => ({ pointer, version: release.version })),
      ...(['pre_releases', 'retired_builds'] as const).flatMap((list) =>
        branch[list].map(({ version }, index) => ({ pointer: `/${list}/${index}`, version })),
      ),
    ];
    for (const { pointer, version } of located)
      if (branchOf(version) !== branch.branch)
        yield error(
          { ...location, pointer },
          version,
          `${version} is not of branch ${branch.branch}`,
          '/version',
        );
  }
};

/**
 * Releases and slots are numbered without a gap; a gap needs a reason in the audit: 8.4.52 for 8.4.25. What was imported has gaps
 * that nobody explained; of what was on record before, a gap is a warning.
 */
export const releaseNumber: Rule = function* (catalogue, { before: old }) {
  const versionsOf = (branch: BranchFile): string[] =>
    [...releasesOf(branch), ...branch.pre_releases].map(({ version }) => version);
  const onRecord = new Set(old?.branches.flatMap(versionsOf));
  for (const location of locatedBranches(catalogue)) {
    const { branch } = location;
    const known = new Set(versionsOf(branch));
    const isExplained = (version: string): boolean =>
      branch.audit.some(
        (entry) =>
          entry.reason !== undefined &&
          (entry.version === version || parseBuildVersion(entry.version)?.version === version),
      );
    const numbered = [
      ...locatedReleasesOf(branch).map(({ pointer, release }) => ({
        pointer,
        version: release.version,
        wayOut: 'give a reason with --reason',
      })),
      ...locatedSlotsOf(branch).map(({ pointer, slot }) => ({
        pointer,
        version: slot.version,
        wayOut: 'open its slot with add-pre-release and a --reason',
      })),
    ];
    for (const { pointer, version, wayOut } of numbered) {
      const patch = Number(version.split('.')[2]);
      const before = `${branch.branch}.${patch - 1}`;
      if (!(patch > 0) || known.has(before) || isImported(branch, version) || isExplained(version)) continue;
      const detail = `${version} without ${before} on record: is the version right? If it is, ${wayOut}`;
      const found = old && !onRecord.has(version) ? error : warning;
      yield found({ ...location, pointer }, version, detail, '/version');
    }
  }
};

/** A version is on record once. */
export const versionOnce: Rule = function* (catalogue) {
  for (const location of repeats(locatedReleases(catalogue), ({ release }) => release.version)) {
    const { version } = location.release;
    yield error(location, version, `${version} is on record twice`, '/version');
  }
};

/**
 * In a branch a higher version has a later date, or the same one if the release before was withdrawn; and the current release is
 * the highest.
 */
export const ascending: Rule = function* (catalogue) {
  for (const branch of catalogue.branches) {
    const located = locatedReleasesOf(branch).sort((a, b) =>
      compareVersions(a.release.version, b.release.version),
    );
    for (const [index, location] of located.slice(1).entries()) {
      const [older, newer] = [located[index]!.release, location.release];
      const isEarly = older.yanked ? newer.date < older.date : newer.date <= older.date;
      if (older === branch.current)
        yield error(
          located[index]!,
          `${older.version} ${newer.version}`,
          `${older.version} is current, but ${newer.version} is in the history`,
          '/version',
        );
      else if (isEarly)
        yield error(
          location,
          `${newer.version} ${newer.date}`,
          `${newer.version} of ${newer.date} is not later than ${older.version} of ${older.date}: give it a later date${newer.date === older.date ? `, or withdraw ${older.version} first` : ''}`,
          '/date',
        );
    }
  }
};

/**
 * Source archives are called after their version, each once per release: 7.3.14 and 7.4.10 kept the names of the
 * release before. Pages that list files (`link`) are checked like names, so only imported releases may have them.
 */
export const sourceFilename: Rule = function* (catalogue) {
  for (const location of locatedReleases(catalogue)) {
    const { branch, release } = location;
    const allowed = tarballNames(catalogue.product, release.version);
    const names = new Set<string>();
    for (const [index, source] of release.published.source.entries()) {
      const name = 'filename' in source ? source.filename : source.link;
      const again = names.has(name);
      names.add(name);
      if ('link' in source && isImported(branch, release.version)) continue;
      if (again || !allowed.includes(name))
        yield error(
          location,
          `${release.version} ${name}`,
          again ? `${name} is listed twice` : `${name} is not one of ${allowed.join(', ')}`,
          `/published/source/${index}`,
        );
    }
  }
};

/** A file name is on record once: a file that belongs to two releases was not bumped. */
export const filenameOnce: Rule = function* (catalogue) {
  const files = locatedReleases(catalogue).flatMap(locatedFilesOf);
  for (const location of repeats(files, ({ artefact }) => artefact.filename)) {
    const { filename } = location.artefact;
    const subject = `${location.release.version} ${filename}`;
    yield error(location, subject, `${filename} is on record twice`, '/filename');
  }
};

const repeats = <P extends Location>(located: P[], keyOf: (location: P) => string): P[] => {
  const seen = new Set<string>();
  return located.filter((location) => {
    const key = keyOf(location);
    const again = seen.has(key);
    seen.add(key);
    return again;
  });
};
