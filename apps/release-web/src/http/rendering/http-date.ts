const TIME = '\\d\\d:\\d\\d:\\d\\d';
const FIXED = new RegExp(`^[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^[A-Z][a-z]+day, \\d\\d-[A-Z][a-z]{2}-\\d\\d ${TIME} GMT$`);
const ASCTIME = new RegExp(`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d ${TIME} \\d{4}$`);

/**
 * An HTTP date as `Date.parse` reads it, whatever the time zone of the process is: all three forms are in UTC (RFC 9110, 5.6.7).
 * @returns undefined for other text, which recipients have to ignore
 */
export const utcDate = (text: string): string | undefined => {
  if (FIXED.test(text) || RFC_850.test(text)) return text;
  return ASCTIME.test(text) ? `${text} GMT` : undefined;
};
