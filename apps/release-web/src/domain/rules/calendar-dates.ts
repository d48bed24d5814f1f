import { parseDateText, parseIsoDate } from '../calendar-date.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Finding } from '../finding.ts';
import {
  branchPlaces,
  error,
  filePlacesOf,
  type Place,
  releasePlaces,
  slotPlaces,
  type TextPlace,
} from './place.ts';
import { recordedInstants } from './revision.ts';
import type { Rule } from './rule.ts';

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

const notADate = ({ text, ...place }: TextPlace): Finding =>
  error('calendar-date', place, `${place.file} ${text}`, `"${text}" is no day of the calendar`);

const isoDates = (catalogue: Catalogue): TextPlace[] =>
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

const dateTexts = (catalogue: Catalogue): TextPlace[] => [
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

const instants = (catalogue: Catalogue): TextPlace[] => [
  ...recordedInstants(catalogue),
  ...branchPlaces(catalogue).flatMap((place) =>
    place.branch.audit.flatMap(({ at }, index) => word(place, `/audit/${index}/at`, at)),
  ),
];

/** 2026-02-30 and 24:00 would be shifted by the parser; only what comes back the same is an instant. */
const isInstant = (text: string): boolean => {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().replace('.000', '') === text;
};

const word = ({ file, pointer }: Place, member: string, text: string | undefined): TextPlace[] =>
  text === undefined ? [] : [{ file, pointer: pointer + member, text }];
