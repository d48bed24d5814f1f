/** Tells the present instant. Read once a request or a rebuild; domain code takes the `Date` as an argument. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
