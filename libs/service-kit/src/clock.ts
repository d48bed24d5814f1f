/** Returns the current time. Read it once for each request; domain code takes the `Date` as an argument. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
