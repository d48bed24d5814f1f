import { parseDateText, parseIsoDate } from '../facts/calendar-date.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import type { Finding, Rule } from './rule.ts';
import {
  error,
  locatedBranches,
  locatedFilesOf,
  locatedReleases,
  locatedSlots,
  type LocatedText,
  type Location,
} from './location.ts';

/** A writer's clock may be a little fast. */
const TOLERANCE_MS = 24 * 60 * 60 * 1000;

/**
 * No file and no piece of news is dated ahead of the clock: an `updated` of next year would make every copy look fresh
 * until then.
 */
export const revisionAhead: Rule = (catalogue, { now }) =>
  recordedInstants(catalogue)
    .filter(({ text }) => now && Date.parse(text) > now.getTime() + TOLERANCE_MS)
    .map((location) =>
      error(
        location,
        `${location.file} ${location.text}`,
        `${location.file} says ${location.text}, which is still to come`,
      ),
    );

/** The instants at which files changed and news came out. */
export const recordedInstants = (catalogue: Catalogue): LocatedText[] => [
  { file: 'product.json', pointer: '/updated', text: catalogue.product.updated },
  { file: 'news.json', pointer: '/updated', text: catalogue.newsUpdated },
  ...catalogue.news.flatMap(({ published, updated }) =>
    // The catalogue keeps news in another order than the file.
    [published, updated].map((text) => ({ file: 'news.json', pointer: '/items', text })),
  ),
  ...locatedBranches(catalogue).map(({ file, branch }) => ({
    file,
    pointer: '/updated',
    text: branch.updated,
  })),
];

/** Answers name days that follow from a date, and their years have four digits. */
const LATEST_DATE = '2199-12-31';

/** Every date is a day that exists. PHP's strtotime shifted `30 Jull` and `2024-11-31x` without a word. */
export const calendarDates: Rule = (catalogue) => [
  ...isoDates(catalogue)
    .filter(({ text }) => !parseIsoDate(text))
    .map(notADate),
  ...isoDates(catalogue)
    .filter(({ text }) => text > LATEST_DATE)
    .map((date) => violation(date, `is later than ${LATEST_DATE}`)),
  ...dateTexts(catalogue)
    .filter(({ text }) => !parseDateText(text))
    .map(notADate),
  ...instants(catalogue)
    .filter(({ text }) => !isInstant(text))
    .map(notADate),
];

const notADate = (date: LocatedText): Finding => violation(date, 'is not a day of the calendar');

const violation = ({ text, ...location }: LocatedText, detail: string): Finding =>
  error(location, `${location.file} ${text}`, `"${text}" ${detail}`);

const isoDates = (catalogue: Catalogue): LocatedText[] =>
  locatedBranches(catalogue)
    .flatMap((location) =>
      Object.entries({ expected: location.branch.expected, ...prefixed(location.branch.overrides) }).map(
        ([member, text]) => word(location, `/${member}`, text),
      ),
    )
    .concat(
      locatedReleases(catalogue).flatMap((location) => [
        word(location, '/date', location.release.date),
        word(location, '/yanked/date', location.release.yanked?.date),
      ]),
    )
    .flat();

const prefixed = (overrides: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(overrides).map(([member, text]) => [`overrides/${member}`, text]));

const dateTexts = (catalogue: Catalogue): LocatedText[] => [
  ...locatedReleases(catalogue).flatMap((location) => [
    ...word(location, '/published/date', location.release.published.date),
    ...locatedFilesOf(location).flatMap((file) => word(file, '/date', file.artefact.date)),
  ]),
  ...locatedSlots(catalogue).flatMap((location) =>
    word(location, '/release/date', location.slot.release.date),
  ),
  ...locatedBranches(catalogue).flatMap((location) =>
    location.branch.retired_builds.flatMap(({ date }, index) =>
      word(location, `/retired_builds/${index}/date`, date),
    ),
  ),
];

const instants = (catalogue: Catalogue): LocatedText[] => [
  ...recordedInstants(catalogue),
  ...locatedBranches(catalogue).flatMap((location) =>
    location.branch.audit.flatMap(({ at }, index) => word(location, `/audit/${index}/at`, at)),
  ),
];

/** 2026-02-30 and 24:00 would be shifted by the parser; only what comes back the same is an instant. */
const isInstant = (text: string): boolean => {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().replace('.000', '') === text;
};

const word = ({ file, pointer }: Location, member: string, text: string | undefined): LocatedText[] =>
  text === undefined ? [] : [{ file, pointer: pointer + member, text }];
