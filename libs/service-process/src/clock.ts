/** Returns the current time. Read it once for each request; domain code takes the `Date` as an argument. */
export type Clock = () => Date;

const createSystemClock = (): Clock => {
  let latest = new Date();
  return () => {
    const now = Date.now();
    if (now !== latest.getTime()) latest = new Date(now);
    return latest;
  };
};

/** The same object for all calls in a millisecond: a Date takes a hundred bytes. Nothing may change it. */
export const systemClock = createSystemClock();
