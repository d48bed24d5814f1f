import { isoDate, parseDateText, parseIsoDate } from '../calendar-date.ts';
import { buildVersion } from '../pre-release-build.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Finding } from '../finding.ts';
import {
  type BranchPlace,
  branchPlaces,
  error,
  filePlacesOf,
  type Place,
  recordOf,
  releasePlaces,
  slotPlaces,
  warning,
} from './place.ts';
import type { Rule } from './rule.ts';

const DAY = 24 * 60 * 60 * 1000;
const TOLERANCE_DAYS = 3;
const THURSDAY = 4;

/** Every date is a day that exists. PHP's strtotime shifted `30 Jull` and `2024-11-31x` without a word. */
export const calendarDates: Rule = (catalogue) => [
  ...isoDates(catalogue)
    .filter(({ text }) => !parseIsoDate(text))
    .map(notADate),
  ...dateTexts(catalogue)
    .filter(({ text }) => !parseDateText(text))
    .map(notADate),
  ...instants(catalogue)
    .filter(({ text }) => !isInstant(text))
    .map(notADate),
];

/** A release is dated once: the day in ISO and the published wording are the same. */
export const releaseDate: Rule = (catalogue) =>
  releasePlaces(catalogue).flatMap((place) => {
    const { version, date, published } = place.release;
    const said = parseDateText(published.date);
    return said && isoDate(said) !== date
      ? [
          error(
            'release-date',
            place,
            `${version} ${date} "${published.date}"`,
            `${version} is dated ${date} and, as published, "${published.date}"`,
            '/date',
          ),
        ]
      : [];
  });

/** The files of a release carry its date. 39 imported ones do not. */
export const fileDate: Rule = (catalogue) =>
  releasePlaces(catalogue)
    .flatMap(filePlacesOf)
    .filter(({ pointer }) => pointer.includes('/source/'))
    .flatMap((place) => {
      const { release, artefact } = place;
      const day = artefact.date === undefined ? null : parseDateText(artefact.date);
      return day && isoDate(day) !== release.date
        ? [
            error(
              'file-date',
              place,
              `${release.version} ${artefact.filename} ${artefact.date}`,
              `${artefact.filename} is dated "${artefact.date}", its release ${release.date}`,
              '/date',
            ),
          ]
        : [];
    });

/**
 * A new release or build is dated within three days of the moment it came on record: what its audit entry says or, for
 * one written by hand, the clock. Nothing is dated further ahead of the clock. Wrong years: 7.3.26, 8.0.27, 8.1.2.
 */
export const entryDate: Rule = (catalogue, { now, before }) => {
  const known = versionsOf(before);
  return datedEntries(catalogue).flatMap((entry) => {
    if (now && entry.day.getTime() > now.getTime() + TOLERANCE_DAYS * DAY)
      return [far(entry, `the clock says ${isoDate(now)}`)];
    const recorded = recordedAt(entry) ?? (known?.has(entry.version) === false ? now : undefined);
    return recorded && Math.abs(entry.day.getTime() - recorded.getTime()) > TOLERANCE_DAYS * DAY
      ? [far(entry, `it came on record on ${isoDate(recorded)}`)]
      : [];
  });
};

/** Releases and builds come on Thursdays; another day of a new one is worth a second look. */
export const thursday: Rule = (catalogue, { before }) => {
  const known = versionsOf(before);
  return datedEntries(catalogue)
    .filter((entry) => known?.has(entry.version) === false && entry.day.getUTCDay() !== THURSDAY)
    .map((entry) =>
      warning(
        'thursday',
        entry,
        `${entry.version} ${isoDate(entry.day)}`,
        `${entry.version} is dated ${isoDate(entry.day)}, which is no Thursday`,
      ),
    );
};

/** Facts did not change in the future: a `updated` of next year would make every copy look fresh until then. */
export const revisionAhead: Rule = (catalogue, { now }) =>
  [
    { file: 'product.json', updated: catalogue.product.updated },
    ...branchPlaces(catalogue).map(({ file, branch }) => ({ file, updated: branch.updated })),
  ]
    .filter(({ updated }) => now && Date.parse(updated) > now.getTime() + DAY)
    .map(({ file, updated }) =>
      error(
        'revision-ahead',
        { file, pointer: '/updated' },
        `${file} ${updated}`,
        `${file} changes on ${updated}, which is still to come`,
      ),
    );

interface DatedEntry extends BranchPlace {
  readonly version: string;
  readonly day: Date;
}

const datedEntries = (catalogue: Catalogue): DatedEntry[] => [
  ...releasePlaces(catalogue).flatMap(({ release, pointer, ...place }) => {
    const day = parseIsoDate(release.date);
    return day ? [{ ...place, pointer: `${pointer}/date`, version: release.version, day }] : [];
  }),
  ...slotPlaces(catalogue)
    .filter(({ slot }) => slot.release.number > 0)
    .flatMap(({ slot, pointer, ...place }) => {
      const day = parseDateText(slot.release.date ?? '');
      return day ? [{ ...place, pointer: `${pointer}/release/date`, version: buildVersion(slot), day }] : [];
    }),
];

/** When the audit says that an entry came on record. */
const recordedAt = ({ branch, version }: DatedEntry): Date | undefined => {
  const record = recordOf(branch, version);
  return record && (record.action === 'promote' || record.action === 'add-pre-release')
    ? new Date(record.at)
    : undefined;
};

const versionsOf = (catalogue: Catalogue | undefined): Set<string> | undefined =>
  catalogue && new Set(datedEntries(catalogue).map(({ version }) => version));

const far = (entry: DatedEntry, than: string): Finding =>
  error(
    'entry-date',
    entry,
    `${entry.version} ${isoDate(entry.day)}`,
    `${entry.version} is dated ${isoDate(entry.day)}, more than ${TOLERANCE_DAYS} days off: ${than}`,
  );

interface DateWord extends Place {
  readonly text: string;
}

const notADate = ({ text, ...place }: DateWord): Finding =>
  error('calendar-date', place, `${place.file} ${text}`, `"${text}" is no day of the calendar`);

const isoDates = (catalogue: Catalogue): DateWord[] =>
  branchPlaces(catalogue)
    .flatMap((place) =>
      Object.entries({ expected: place.branch.expected, ...prefixed(place.branch.overrides) }).map(
        ([member, text]) => word(place, `/${member}`, text),
      ),
    )
    .concat(
      releasePlaces(catalogue).flatMap((place) => [
        word(place, '/date', place.release.date),
        word(place, '/yanked/date', place.release.yanked?.date),
      ]),
    )
    .flat();

const prefixed = (overrides: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(overrides).map(([member, text]) => [`overrides/${member}`, text]));

const dateTexts = (catalogue: Catalogue): DateWord[] => [
  ...releasePlaces(catalogue).flatMap((place) => [
    ...word(place, '/published/date', place.release.published.date),
    ...filePlacesOf(place).flatMap((file) => word(file, '/date', file.artefact.date)),
  ]),
  ...slotPlaces(catalogue).flatMap((place) => word(place, '/release/date', place.slot.release.date)),
  ...branchPlaces(catalogue).flatMap((place) =>
    place.branch.retired_builds.flatMap(({ date }, index) =>
      word(place, `/retired_builds/${index}/date`, date),
    ),
  ),
];

const instants = (catalogue: Catalogue): DateWord[] => [
  { file: 'product.json', pointer: '/updated', text: catalogue.product.updated },
  ...catalogue.news.flatMap(({ published, updated }) =>
    [published, updated].map((text) => ({ file: 'news.json', pointer: '/items', text })),
  ),
  ...branchPlaces(catalogue).flatMap((place) => [
    ...word(place, '/updated', place.branch.updated),
    ...place.branch.audit.flatMap(({ at }, index) => word(place, `/audit/${index}/at`, at)),
  ]),
];

/** 2026-02-30 and 24:00 would be shifted by the parser; only what comes back the same is an instant. */
const isInstant = (text: string): boolean => {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().replace('.000', '') === text;
};

const word = ({ file, pointer }: Place, member: string, text: string | undefined): DateWord[] =>
  text === undefined ? [] : [{ file, pointer: pointer + member, text }];
