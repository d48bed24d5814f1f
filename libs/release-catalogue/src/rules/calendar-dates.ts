import { parseDateText, parseIsoDate } from '../facts/calendar-date.ts';
import type { Catalogue } from '../facts/catalogue.ts';
import type { Rule } from './rule.ts';
import { error, locatedBranches, type LocatedText } from './location.ts';

/** A writer's clock may be a little fast. */
const TOLERANCE_MS = 24 * 60 * 60 * 1000;

/**
 * No file and no piece of news is dated ahead of the clock: an `updated` of next year would make every copy look fresh
 * until then.
 */
export const revisionAhead: Rule = (catalogue, { now }) =>
  [
    ...sharedInstants(catalogue),
    ...locatedBranches(catalogue).map(({ file, branch }) => ({
      file,
      pointer: '/updated',
      text: branch.updated,
    })),
  ]
    .filter(({ text }) => now && Date.parse(text) > now.getTime() + TOLERANCE_MS)
    .map((location) =>
      error(
        location,
        `${location.file} ${location.text}`,
        `${location.file} says ${location.text}, which is still to come`,
      ),
    );

/** The instants at which files beside those of branches changed, and at which news came out. */
const sharedInstants = (catalogue: Catalogue): LocatedText[] => [
  { file: 'product.json', pointer: '/updated', text: catalogue.product.updated },
  { file: 'news.json', pointer: '/updated', text: catalogue.newsUpdated },
  ...catalogue.news.flatMap(({ published, updated }) =>
    // The catalogue keeps news in another order than the file.
    [published, updated].map((text) => ({ file: 'news.json', pointer: '/items', text })),
  ),
];

/** Answers name days that follow from a date, and their years have four digits. */
const LATEST_DATE = '2199-12-31';

/** Every date is a day that exists. PHP's strtotime shifted `30 Jull` and `2024-11-31x` without a word. */
export const calendarDates: Rule = function* (catalogue) {
  const dates = locatedBranches(catalogue).flatMap(({ file, branch }) => datesIn(branch, file));
  for (const location of [...sharedInstants(catalogue), ...dates]) {
    const { file, text } = location;
    const isIsoDate = /^\d{4}-\d\d-\d\d$/.test(text);
    const exists = isIsoDate ? parseIsoDate(text) : isInstant(text) || parseDateText(text);
    if (!exists || (isIsoDate && text > LATEST_DATE))
      yield error(
        location,
        `${file} ${text}`,
        `"${text}" is ${exists ? `later than ${LATEST_DATE}` : 'not a day of the calendar'}`,
      );
  }
};

const DATES = new Set(['at', 'date', 'expected', 'published', 'security', 'stable', 'updated']);

/** The dates of a branch, wherever they are in it. What was changed need not have been one. */
const datesIn = (value: object, file: string, pointer = ''): LocatedText[] =>
  Object.entries(value).flatMap(([member, inner]: [string, unknown]) => {
    const at = `${pointer}/${member}`;
    if (typeof inner === 'string') return DATES.has(member) ? [{ file, pointer: at, text: inner }] : [];
    return typeof inner === 'object' && inner && member !== 'changes' ? datesIn(inner, file, at) : [];
  });

/** 2026-02-30 and 24:00 would be shifted by the parser; only what comes back the same is an instant. */
const isInstant = (text: string): boolean => {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().replace('.000', '') === text;
};
