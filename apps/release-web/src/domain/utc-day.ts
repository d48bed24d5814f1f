export const DAY_MS = 86_400_000;

/** The number of the day (UTC), counted from 1 January 1970. */
export const dayNumber = (date: Date): number => Math.floor(date.getTime() / DAY_MS);

/** The moment at which the day (UTC) begins. */
export const midnightOf = (date: Date): Date => new Date(dayNumber(date) * DAY_MS);
