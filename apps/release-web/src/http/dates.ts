import { dateText, isoDate, parseIsoDate } from '@workspace/release-catalogue';
import { DAY_MS, dayNumber } from '../domain/utc-day.ts';

/** `2 Jul 2026`: the one way in which pages write a date, as plain text. */
export const dayText = (date: Date): string => dateText(date).replace(/^0/, '');

/** A date as markup that programs can read too. */
export const day = (date: Date): string => `<time datetime="${isoDate(date)}">${dayText(date)}</time>`;

/** The same of a calendar date that was checked when the data was loaded. */
export const dayOf = (date: string): string => day(parseIsoDate(date)!);

/** The last day of a support that ends at 00:00 of a day. */
export const lastDay = (end: Date): Date => new Date(end.getTime() - DAY_MS);

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** The distance to a day: `in 40 days`, `13 months ago`, `today`. Whole calendar days, UTC. */
export const distance = (date: Date, now: Date): string => {
  const days = dayNumber(date) - dayNumber(now);
  if (Math.abs(days) <= 60) return relative.format(days, 'day');
  const months = wholeMonths(days < 0 ? date : now, days < 0 ? now : date) * Math.sign(days);
  return Math.abs(months) < 24
    ? relative.format(months, 'month')
    : relative.format(Math.trunc(months / 12), 'year');
};

const wholeMonths = (from: Date, to: Date): number =>
  (to.getUTCFullYear() - from.getUTCFullYear()) * 12 +
  (to.getUTCMonth() - from.getUTCMonth()) -
  (to.getUTCDate() < from.getUTCDate() ? 1 : 0);
