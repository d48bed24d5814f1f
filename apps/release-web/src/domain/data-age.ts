import { DAY_MS } from './utc-day.ts';

/** Whole days since the facts last changed. */
export const daysSince = (revision: Date, now: Date): number =>
  Math.floor((now.getTime() - revision.getTime()) / DAY_MS);

/** Whether facts are so old that newer ones may exist. @param days that they may be old */
export const isStale = (revision: Date, now: Date, days: number): boolean => daysSince(revision, now) > days;
