/** Whether a database cannot have been built yet, so that its age means nothing. A day is left for clocks that differ. */
export const isToCome = (builtAt: Date, now: Date): boolean => builtAt.getTime() > now.getTime() + 86_400_000;
