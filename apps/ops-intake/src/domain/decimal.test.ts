import fc from 'fast-check';
import { decimalViolation, quantityViolation } from './decimal.ts';

const limits = { fractionDigits: 8 };
const digit = fc.constantFrom(...'0123456789');

describe('decimalViolation', () => {
  it.each([
    '0',
    '0.0',
    '0.00000000',
    '10.00',
    '999999999999999',
    '9999999.99999999',
    '0.00000001',
    '5000.00',
    // Java: Double.toString, and so Jackson and Gson
    '1.0E7',
    '1.2345678E7',
    '1.0E-5',
    '9.99999999999999E14',
    '1.0E-8',
    // Python: repr of float, and so json
    '1e-05',
    '1.5e-07',
    // JavaScript, Go, Rust, C
    '1e-7',
    '1.5e+7',
    '2.5e+00',
    '0e0',
    '0.0E0',
    '0e-20',
  ])('takes %s', (lexeme) => {
    expect(decimalViolation(lexeme, limits)).toBeUndefined();
  });

  it.each([
    ['-1', /without a sign, .* not -1$/],
    ['-0', /without a sign/],
    ['-1.0E7', /without a sign, .* not -1\.0E7$/],
    ['10.5e2', /not 10\.5e2$/],
    ['1e1000', /not 1e1000$/],
    ['0.000000001', /8 digits behind the point, unlike 0\.000000001$/],
    ['1e-9', /8 digits behind the point, unlike 1e-9$/],
    ['1.5E-8', /8 digits behind/],
    ['1e-999', /8 digits behind/],
    ['1.0E15', /15 significant digits, unlike 1\.0E15$/],
    ['1e16', /15 significant/],
    ['1.23456789012345e5', /8 digits behind/],
    ['1.234567890123456e15', /15 significant/],
    ['1e999', /15 significant/],
    [`1${'0'.repeat(100)}`, /unlike 10{39}… \(101 characters\)$/],
    [`1${'0'.repeat(39)}`, /unlike 10{39}$/],
    ['1000000000000000', /15 significant/],
    ['10000000.00000000', /15 significant/],
    ['12345678.12345678', /15 significant/],
  ])('rejects %s', (lexeme, sentence) => {
    expect(decimalViolation(lexeme, limits)).toMatch(sentence);
  });

  it('takes only what a double holds exactly, so that any consumer reads the same value', () => {
    const decimals = fc
      .tuple(fc.array(digit, { maxLength: 15 }), fc.array(digit, { minLength: 1, maxLength: 8 }))
      .map(([whole, fraction]) => `${whole.join('').replace(/^0+/, '') || '0'}.${fraction.join('')}`);
    fc.assert(
      fc.property(decimals, (lexeme) => {
        if (decimalViolation(lexeme, limits)) return;
        const fraction = lexeme.split('.')[1] as string;
        expect(Number(lexeme).toFixed(fraction.length)).toBe(lexeme);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('an exponent', () => {
  // Work that grows with the square of the length would take an hour.
  it('is judged in one pass however long the number is', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(decimalViolation(`1.${zeros}1e5`, limits)).toContain('(1000005 characters)');
    expect(decimalViolation(`1.${zeros}e5`, limits)).toBeUndefined();
  });

  it('is allowed exactly where the same number without it is, and is read as that number', () => {
    const scientific = fc
      .tuple(
        fc.integer({ min: 1, max: 9 }),
        fc.array(digit, { minLength: 1, maxLength: 15 }),
        fc.integer({ min: -10, max: 16 }),
      )
      .map(([first, rest, exponent]) => ({
        lexeme: `${first}.${rest.join('')}E${exponent}`,
        // BigInt arithmetic: the number, with 30 digits behind the point.
        scaled: BigInt(first + rest.join('')) * 10n ** BigInt(30 + exponent - rest.length),
      }));
    fc.assert(
      fc.property(scientific, ({ lexeme, scaled }) => {
        const text = String(scaled).padStart(31, '0');
        const fraction = text.slice(-30).replace(/0+$/, '');
        const plain = fraction === '' ? text.slice(0, -30) : `${text.slice(0, -30)}.${fraction}`;
        expect(decimalViolation(lexeme, limits) === undefined).toBe(
          decimalViolation(plain, limits) === undefined,
        );
        if (decimalViolation(plain, limits) === undefined) expect(Number(lexeme)).toBe(Number(plain));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('quantityViolation', () => {
  it.each(['1', '100', '9999', '9007199254740991'])('takes %s', (lexeme) => {
    expect(quantityViolation(lexeme)).toBeUndefined();
  });

  it.each(['0', '-1', '100.0', '1e2', '1.0E7', '1.5', '9007199254740992', '10000000000000000'])(
    'rejects %s, and quotes it',
    (lexeme) => {
      expect(quantityViolation(lexeme)?.endsWith(` not ${lexeme}`)).toBe(true);
    },
  );
});
