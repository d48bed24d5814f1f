import { isoDate, parseDateText, parseIsoDate } from '../facts/calendar-date.ts';
import { buildVersion } from '../facts/pre-release-build.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import type { AuditEntry } from '../schemas/index.ts';
import type { Finding, Rule } from './rule.ts';
import {
  error,
  type LocatedBranch,
  locatedFilesOf,
  locatedReleases,
  locatedSlots,
  recordOf,
  warning,
} from './location.ts';

const DAY = 24 * 60 * 60 * 1000;
const TOLERANCE_DAYS = 3;
const THURSDAY = 4;

/** A release is dated once: the day in ISO and the published wording are the same. */
export const releaseDate: Rule = function* (catalogue) {
  for (const location of locatedReleases(catalogue)) {
    const { version, date, published } = location.release;
    const worded = parseDateText(published.date);
    if (worded && isoDate(worded) !== date)
      yield error(
        location,
        `${version} ${date} "${published.date}"`,
        `${version} is dated ${date} and, as published, "${published.date}"`,
        '/date',
      );
  }
};

/** The files of a release carry its date. 39 imported ones do not. */
export const fileDate: Rule = function* (catalogue) {
  for (const location of locatedReleases(catalogue).flatMap(locatedFilesOf)) {
    const { release, artefact } = location;
    // Stryker disable next-line StringLiteral: any text that is no date
    const day = parseDateText(artefact.date ?? '');
    if (location.pointer.includes('/source/') && day && isoDate(day) !== release.date)
      yield error(
        location,
        `${release.version} ${artefact.filename} ${artefact.date}`,
        `${artefact.filename} is dated "${artefact.date}", its release ${release.date}`,
        '/date',
      );
  }
};

/**
 * A new release or build is dated within three days of the moment it came on record: what its audit entry says or, for
 * one written by hand, the clock. One that was imported may have been published long before. Nothing is dated further
 * ahead of the clock. Wrong years: 7.3.26, 8.0.27, 8.1.2.
 */
export const entryDate: Rule = function* (catalogue, { now, before }) {
  const known = versionsOf(before);
  for (const entry of datedEntries(catalogue)) {
    const record = recordOf(entry.branch, entry.version);
    const recorded = recordedAt(record) ?? (known?.has(entry.version) === false ? now : undefined);
    if (now && entry.day.getTime() > now.getTime() + TOLERANCE_DAYS * DAY)
      yield far(entry, `the clock says ${isoDate(now)}`);
    else if (
      record?.action !== 'import' &&
      recorded &&
      Math.abs(entry.day.getTime() - recorded.getTime()) > TOLERANCE_DAYS * DAY
    )
      yield far(entry, `it came on record on ${isoDate(recorded)}`);
  }
};

/** Releases and builds come on Thursdays; another day of a new one is worth checking. */
export const thursday: Rule = function* (catalogue, { before }) {
  const known = versionsOf(before);
  for (const entry of datedEntries(catalogue))
    if (known?.has(entry.version) === false && entry.day.getUTCDay() !== THURSDAY)
      yield warning(
        entry,
        `${entry.version} ${isoDate(entry.day)}`,
        `${entry.version} is dated ${isoDate(entry.day)}, which is not a Thursday`,
      );
};

interface DatedEntry extends LocatedBranch {
  readonly version: string;
  readonly day: Date;
}

const datedEntries = (catalogue: Catalogue): DatedEntry[] => [
  ...locatedReleases(catalogue).flatMap(({ release, pointer, ...location }) => {
    const day = parseIsoDate(release.date);
    return day ? [{ ...location, pointer: `${pointer}/date`, version: release.version, day }] : [];
  }),
  ...locatedSlots(catalogue)
    .filter(({ slot }) => slot.release.number > 0)
    .flatMap(({ slot, pointer, ...location }) => {
      // Stryker disable next-line StringLiteral: any text that is no date
      const day = parseDateText(slot.release.date ?? '');
      return day
        ? [{ ...location, pointer: `${pointer}/release/date`, version: buildVersion(slot), day }]
        : [];
    }),
];

/** When the audit says that an entry came on record. */
const recordedAt = (record: AuditEntry | undefined): Date | undefined =>
  record && (record.action === 'promote' || record.action === 'add-pre-release')
    ? new Date(record.at)
    : undefined;

const versionsOf = (catalogue: Catalogue | undefined): Set<string> | undefined =>
  catalogue && new Set(datedEntries(catalogue).map(({ version }) => version));

const far = (entry: DatedEntry, than: string): Finding =>
  error(
    entry,
    `${entry.version} ${isoDate(entry.day)}`,
    `${entry.version} is dated ${isoDate(entry.day)}, more than ${TOLERANCE_DAYS} days off: ${than}`,
  );
