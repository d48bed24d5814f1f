import assert from 'node:assert/strict';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { decimalViolation, quantityViolation } from '../src/domain/decimal.ts';

const DECIMAL = 'apps/ops-intake/src/domain/decimal.ts';
const NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const MOST_EXPONENT_DIGITS = 3;

/** Whether a text is a unit cost, by arithmetic instead of text: whole × 10^-scale. */
export const isUnitCost = (text: string, fractionDigits: number): boolean => {
  const [, whole = '', fraction = '', exponent] = NUMBER.exec(text) ?? [];
  if (whole === '' || (exponent === undefined && whole.length > 1 && whole.startsWith('0'))) return false;
  let scale = BigInt(fraction.length);
  let digits = BigInt(whole + fraction);
  if (exponent !== undefined) {
    // As programs write it: one digit before the point.
    if (whole.length > 1 || exponent.replace(/^[+-]/, '').length > MOST_EXPONENT_DIGITS) return false;
    scale -= BigInt(exponent);
    if (digits === 0n) return true;
    // Zeros at its end are part of the form, not of the number.
    while (digits % 10n === 0n) [digits, scale] = [digits / 10n, scale - 1n];
    if (scale < 0n) [digits, scale] = [digits * 10n ** -scale, 0n];
  }
  return scale <= BigInt(fractionDigits) && digits < 10n ** 15n;
};

/** Whether a text is a quantity. */
export const isQuantity = (text: string): boolean =>
  /^\d+$/.test(text) && !text.startsWith('0') && BigInt(text) <= BigInt(Number.MAX_SAFE_INTEGER);

export const decimals: FuzzTarget = {
  name: 'decimals',
  property: 'unit costs and quantities are those that arithmetic with big integers finds within the limits',
  seeds: ['10.00', '1.0E7', '2.5e-07', '0.00000001', '123456789012345', '9007199254740991', '0', '1e14'],
  dictionary: ['e', 'E+', 'E-', '.', '00000', '99999', 'e-8', 'e-9', 'e15', '0.'],
  mostBytes: 64,
  branchesPerByte: 100,
  planted: [
    { file: DECIMAL, from: '{1,3})$/', to: '{1,2})$/' },
    { file: DECIMAL, from: "(whole + fraction).replace(/^0+/, '')", to: '(whole + fraction)' },
    { file: DECIMAL, from: 'lexeme > LARGEST_QUANTITY', to: 'lexeme >= LARGEST_QUANTITY' },
    { file: DECIMAL, from: 'withoutTrailingZeros(first + rest)', to: '(first + rest)' },
  ],
  check: (input) => {
    const text = input.toString();
    for (const fractionDigits of [2, 8]) {
      assert.equal(
        decimalViolation(text, { fractionDigits }) === undefined,
        isUnitCost(text, fractionDigits),
      );
    }
    assert.equal(quantityViolation(text) === undefined, isQuantity(text));
  },
};
