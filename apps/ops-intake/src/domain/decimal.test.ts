import fc from 'fast-check';
import { decimalFault, quantityFault } from './decimal.ts';

const limits = { fractionDigits: 8 };
const digit = fc.constantFrom(...'0123456789');

describe('decimalFault', () => {
  it.each([
    '0',
    '0.0',
    '0.00000000',
    '10.00',
    '999999999999999',
    '9999999.99999999',
    '0.00000001',
    '5000.00',
  ])('takes %s', (lexeme) => {
    expect(decimalFault(lexeme, limits)).toBeUndefined();
  });

  it.each([
    ['-1', /sign or exponent/],
    ['-0', /sign or exponent/],
    ['1e2', /sign or exponent/],
    ['1E-2', /sign or exponent/],
    ['0.000000001', /8 digits behind/],
    ['1000000000000000', /15 significant/],
    ['10000000.00000000', /15 significant/],
    ['12345678.12345678', /15 significant/],
  ])('refuses %s', (lexeme, sentence) => {
    expect(decimalFault(lexeme, limits)).toMatch(sentence);
  });

  it('takes only what a double holds exactly, so that any consumer reads the same value', () => {
    const decimals = fc
      .tuple(fc.array(digit, { maxLength: 15 }), fc.array(digit, { minLength: 1, maxLength: 8 }))
      .map(([whole, fraction]) => `${whole.join('').replace(/^0+/, '') || '0'}.${fraction.join('')}`);
    fc.assert(
      fc.property(decimals, (lexeme) => {
        if (decimalFault(lexeme, limits)) return;
        const fraction = lexeme.split('.')[1] as string;
        expect(Number(lexeme).toFixed(fraction.length)).toBe(lexeme);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('quantityFault', () => {
  it.each(['1', '100', '9007199254740991'])('takes %s', (lexeme) => {
    expect(quantityFault(lexeme)).toBeUndefined();
  });

  it.each(['0', '-1', '100.0', '1e2', '1.5', '9007199254740992', '10000000000000000'])(
    'refuses %s',
    (lexeme) => {
      expect(quantityFault(lexeme)).toBeDefined();
    },
  );
});
