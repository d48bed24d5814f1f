const TIME = '\\d\\d:\\d\\d:\\d\\d';
const FIXED = new RegExp(`^[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^[A-Z][a-z]+day, \\d\\d-[A-Z][a-z]{2}-\\d\\d ${TIME} GMT$`);
const ASCTIME = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${TIME} \\d{4}$`);

/**
 * An HTTP date as `Date.parse` reads it, whatever the time zone of the process is: all three forms are in UTC (RFC 9110, 5.6.7).
 * @returns undefined for other text, which recipients have to ignore, and for a date to come: a clock was ahead, or is behind
 */
export const pastUtcDate = (text: string, now: Date): string | undefined => {
  const date = ASCTIME.test(text) ? `${text} GMT` : text;
  const isDate = date !== text || FIXED.test(text) || RFC_850.test(text);
  return isDate && Date.parse(date) <= now.getTime() ? date : undefined;
};
