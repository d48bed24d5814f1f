const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * Midnight UTC of a calendar date.
 * @returns null for a day that does not exist (`2026-02-30`) or another format
 */
export const parseIsoDate = (text: string): Date | null => {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match ? midnight(Number(match[1]), Number(match[2]), Number(match[3])) : null;
};

/**
 * Midnight UTC of a date in php.net's wording: `30 Jul 2026`, `5 December 2024`.
 * Strict where PHP's strtotime guesses: `Marc`, `30 Jull` and 31 November are null, not a shifted day.
 */
export const parseDateText = (text: string): Date | null => {
  const match = /^(\d{1,2}) ([A-Z][a-z]+) (\d{4})$/.exec(text);
  if (!match) return null;
  const month = MONTHS.findIndex((name) => name === match[2] || name.slice(0, 3) === match[2]);
  return midnight(Number(match[3]), month + 1, Number(match[1]));
};

/** `2026-07-30` of an instant, in UTC. */
export const isoDate = (date: Date): string => date.toISOString().slice(0, 10);

/** `30 Jul 2026`: how php.net dates a release. */
export const dateText = (date: Date): string =>
  `${String(date.getUTCDate()).padStart(2, '0')} ${MONTHS[date.getUTCMonth()]!.slice(0, 3)} ${date.getUTCFullYear()}`;

/** `13 August 2026`: how php.net dates a pre-release. */
export const longDateText = (date: Date): string =>
  `${String(date.getUTCDate()).padStart(2, '0')} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;

const midnight = (year: number, month: number, day: number): Date | null => {
  const date = new Date(Date.UTC(year, month - 1, day));
  // A month that does not exist leads to another year, as does a year below 100; a day that does not, to another day.
  return date.getUTCFullYear() === year && date.getUTCDate() === day ? date : null;
};
