import { type DecimalLimits, decimalViolation, quoted, withoutTrailingZeros } from '../../domain/decimal.ts';
import type { MemberViolation } from '../../domain/operation.ts';

/**
 * The exact value of a JSON number: 0.DIGITS × 10^point, digits without zeros at their ends. It is compared without
 * arithmetic, so no exponent is too large.
 */
export interface ExactNumber {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly point: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** @param lexeme a JSON number */
export const exactNumber = (lexeme: string): ExactNumber => {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(lexeme) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  if (digits === '') return { isNegative: false, digits: '', point: 0 };
  const point = whole.length - (all.length - digits.length) + Number(exponent);
  return { isNegative: sign === '-', digits: withoutTrailingZeros(digits), point };
};

const compareMagnitudes = (one: ExactNumber, other: ExactNumber): number => {
  if (one.digits === '' || other.digits === '') return Math.sign(one.digits.length - other.digits.length);
  if (one.point !== other.point) return one.point < other.point ? -1 : 1;
  if (one.digits === other.digits) return 0;
  return one.digits < other.digits ? -1 : 1;
};

/** @returns less than, equal to or greater than 0, as for `sort` */
export const compareExactly = (one: ExactNumber, other: ExactNumber): number => {
  if (one.isNegative !== other.isNegative) return one.isNegative ? -1 : 1;
  return one.isNegative ? compareMagnitudes(other, one) : compareMagnitudes(one, other);
};

/** Most zeros behind a number, so that it and its part are whole. */
const MOST_DIVIDED = 200;

const isMultiple = (value: ExactNumber, of: ExactNumber): boolean => {
  if (value.digits === '') return true;
  const zeros = of.digits.length - of.point - (value.digits.length - value.point);
  // A multiple has no more decimals than its part; further apart, there is no sensible schema and no sensible number.
  if (zeros < 0 || zeros > MOST_DIVIDED) return false;
  return BigInt(value.digits + '0'.repeat(zeros)) % BigInt(of.digits) === 0n;
};

/** A number of a rule, and how a sentence shows it. */
export interface Bound {
  readonly text: string;
  readonly value: ExactNumber;
}

/** What a schema says of a number. All is judged on the text that the client wrote. */
export interface NumberRules {
  /** without point or exponent, or with so many digits at most; anything that JSON has when undefined */
  readonly form?: 'integer' | ({ readonly digits: number } & DecimalLimits);
  /** whether a minus sign is allowed */
  readonly isSigned: boolean;
  readonly minimum?: Bound;
  readonly exclusiveMinimum?: Bound;
  readonly maximum?: Bound;
  readonly exclusiveMaximum?: Bound;
  readonly multipleOf?: Bound;
  readonly values?: readonly Bound[];
}

const WHOLE = /^-?(?:0|[1-9]\d*)$/;

const formViolation = (lexeme: string, { form, isSigned }: NumberRules): string | undefined => {
  if (form === undefined) return undefined;
  const isNegative = lexeme.startsWith('-');
  const magnitude = isNegative ? lexeme.slice(1) : lexeme;
  if (isNegative && (!isSigned || !/[1-9]/.test(magnitude)))
    return `must be written without a sign, not ${quoted(lexeme)}`;
  if (form !== 'integer') return decimalViolation(magnitude, form, form.digits);
  if (!WHOLE.test(lexeme))
    return `must be a whole number, written without point or exponent, not ${quoted(lexeme)}`;
  return undefined;
};

/** What is wrong with a JSON number by the rules of a schema; undefined when nothing is. */
export const numberViolation = (lexeme: string, rules: NumberRules): MemberViolation | undefined => {
  const form = formViolation(lexeme, rules);
  if (form !== undefined) return { code: 'format', detail: form };
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf, values } = rules;
  const value = exactNumber(lexeme);
  const violation = (code: string, rule: string): MemberViolation => ({
    code,
    detail: `must be ${rule}, not ${quoted(lexeme)}`,
  });
  if (minimum && compareExactly(value, minimum.value) < 0)
    return violation('minimum', `at least ${minimum.text}`);
  if (exclusiveMinimum && compareExactly(value, exclusiveMinimum.value) <= 0)
    return violation('exclusiveMinimum', `more than ${exclusiveMinimum.text}`);
  if (maximum && compareExactly(value, maximum.value) > 0)
    return violation('maximum', `at most ${maximum.text}`);
  if (exclusiveMaximum && compareExactly(value, exclusiveMaximum.value) >= 0)
    return violation('exclusiveMaximum', `less than ${exclusiveMaximum.text}`);
  if (multipleOf && !isMultiple(value, multipleOf.value))
    return violation('multipleOf', `a multiple of ${multipleOf.text}`);
  if (values && !values.some((one) => compareExactly(value, one.value) === 0))
    return violation('enum', `one of ${values.map(({ text }) => text).join(', ')}`);
  return undefined;
};
