/** What a consumer that reads numbers as doubles can still take exactly (IEEE 754: any 15 digits survive). */
export const MOST_DIGITS = 15;
/** 2^53 - 1, as text: quantities are compared without arithmetic. */
export const LARGEST_QUANTITY = '9007199254740991';

const DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;
const WHOLE = /^[1-9]\d*$/;

export interface DecimalLimits {
  /** most digits behind the decimal point */
  fractionDigits: number;
}

/**
 * Why a JSON number cannot be a unit cost, or undefined when it can. Zero is one: bonus shares cost nothing.
 * Digits are counted from the first that is not zero, trailing zeros included.
 */
export const decimalFault = (lexeme: string, limits: DecimalLimits): string | undefined => {
  const match = DECIMAL.exec(lexeme);
  if (!match) return 'must be a plain decimal without sign or exponent';
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > limits.fractionDigits) {
    return `must have at most ${limits.fractionDigits} digits behind the point`;
  }
  if ((whole + fraction).replace(/^0+/, '').length > MOST_DIGITS) {
    return `must have at most ${MOST_DIGITS} significant digits`;
  }
  return undefined;
};

/** Why a JSON number cannot be a quantity, or undefined when it can. */
export const quantityFault = (lexeme: string): string | undefined => {
  if (!WHOLE.test(lexeme)) return 'must be a whole number of at least 1, written without point or exponent';
  const { length } = lexeme;
  const limit = LARGEST_QUANTITY.length;
  if (length > limit || (length === limit && lexeme > LARGEST_QUANTITY)) {
    return `must be at most ${LARGEST_QUANTITY}`;
  }
  return undefined;
};
