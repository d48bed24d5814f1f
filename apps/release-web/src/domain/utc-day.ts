export const DAY_MS = 86_400_000;

/** The number of the day (UTC), counted from 1 January 1970. */
export const dayNumber = (date: Date): number => Math.floor(date.getTime() / DAY_MS);

/** The moment at which the day (UTC) begins. */
export const midnightOf = (date: Date): Date => new Date(dayNumber(date) * DAY_MS);

/** Whole days since the facts last changed. */
export const daysSince = (revision: Date, now: Date): number =>
  Math.floor((now.getTime() - revision.getTime()) / DAY_MS);

/** Whether facts are so old that newer ones may exist. @param days that they may be old */
export const isStale = (revision: Date, now: Date, days: number): boolean => daysSince(revision, now) > days;
