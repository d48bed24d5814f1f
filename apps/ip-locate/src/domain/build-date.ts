const DAY_MS = 86_400_000;
/** DB-IP publishes monthly, MaxMind twice a week; data older than this is no longer being updated. */
const STALE_AFTER_DAYS = 45;

/** Whole days since a file was made. */
export const daysSince = (builtAt: Date, now: Date): number =>
  Math.floor((now.getTime() - builtAt.getTime()) / DAY_MS);

/** Whether a database is so old that newer ones exist; one of unknown age may be. */
export const isStale = (builtAt: Date | null, now: Date): boolean =>
  builtAt === null || daysSince(builtAt, now) > STALE_AFTER_DAYS;

/** Whether a database cannot have been built yet, so that its age means nothing. A day is left for clocks that differ. */
export const isToCome = (builtAt: Date, now: Date): boolean => builtAt.getTime() > now.getTime() + DAY_MS;
