/** What a consumer that reads numbers as doubles can still take exactly (IEEE 754: any 15 digits survive). */
export const MOST_DIGITS = 15;
/** 2^53 - 1, as text: quantities are compared without arithmetic. */
export const LARGEST_QUANTITY = '9007199254740991';

const PLAIN = /^(0|[1-9]\d*)(?:\.(\d+))?$/;
/** As serialisers of binary floating-point numbers write large and small ones: Java `1.0E7`, Python `1e-05`, JavaScript `1e-7`. */
const SCIENTIFIC = /^(\d)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/;
const WHOLE = /^[1-9]\d*$/;
const MOST_QUOTED = 40;

export interface DecimalLimits {
  /** most digits behind the decimal point */
  fractionDigits: number;
}

interface Digits {
  whole: string;
  fraction: string;
}

/** In one pass: a regular expression would begin again at every zero of a long number. */
export const withoutTrailingZeros = (digits: string): string => {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
};

/** The digits of a number as they would stand without an exponent, without zeros that only the exponent form needs. */
const digitsOf = (lexeme: string): Digits | undefined => {
  const plain = PLAIN.exec(lexeme);
  if (plain) return { whole: plain[1] as string, fraction: plain[2] ?? '' };
  const [, first, rest = '', exponent] = SCIENTIFIC.exec(lexeme) ?? [];
  if (first === undefined) return undefined;
  const digits = withoutTrailingZeros(first + rest);
  // The point stands behind so many digits; before them all when it is negative.
  const point = 1 + Number(exponent);
  if (digits === '') return { whole: '', fraction: '' };
  if (point < 0) return { whole: '', fraction: '0'.repeat(-point) + digits };
  return { whole: digits.slice(0, point).padEnd(point, '0'), fraction: digits.slice(point) };
};

/**
 * Why a JSON number cannot be a unit cost, or undefined when it can. Zero is one: bonus shares cost nothing.
 *
 * An exponent is allowed where the same number without one is: the record keeps what the client wrote, and every JSON
 * parser reads both alike. Digits are counted from the first that is not zero, trailing zeros included; those that
 * `1.0E7` has before its exponent do not count.
 * @param mostDigits of an own field, which may have more than consumers of doubles can take
 */
export const decimalViolation = (
  lexeme: string,
  limits: DecimalLimits,
  mostDigits = MOST_DIGITS,
): string | undefined => {
  const digits = digitsOf(lexeme);
  if (!digits) return `must be a number without a sign, such as 10.00 or 1.0E-5, not ${quoted(lexeme)}`;
  const { whole, fraction } = digits;
  if (fraction.length > limits.fractionDigits) {
    return `must have at most ${limits.fractionDigits} digits behind the point, unlike ${quoted(lexeme)}`;
  }
  if ((whole + fraction).replace(/^0+/, '').length > mostDigits) {
    return `must have at most ${mostDigits} significant digits, unlike ${quoted(lexeme)}`;
  }
  return undefined;
};

/**
 * Why a JSON number cannot be a quantity, or undefined when it can. Point and exponent are not allowed even in front of a
 * whole number: consumers read quantities into integers, and many JSON parsers (Go's, for one) reject `1e2` and `100.0` there.
 */
export const quantityViolation = (lexeme: string): string | undefined => {
  if (!WHOLE.test(lexeme)) {
    return `must be a whole number of at least 1, written without point or exponent, not ${quoted(lexeme)}`;
  }
  const { length } = lexeme;
  const limit = LARGEST_QUANTITY.length;
  if (length > limit || (length === limit && lexeme > LARGEST_QUANTITY)) {
    return `must be at most ${LARGEST_QUANTITY}, not ${quoted(lexeme)}`;
  }
  return undefined;
};

/** The literal as the client wrote it, cut to what a person reads. */
export const quoted = (lexeme: string): string =>
  lexeme.length <= MOST_QUOTED ? lexeme : `${lexeme.slice(0, MOST_QUOTED)}… (${lexeme.length} characters)`;
