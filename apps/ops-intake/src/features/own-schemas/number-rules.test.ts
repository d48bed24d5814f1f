import fc from 'fast-check';
import { compareExactly, exactNumber, type NumberRules, numberViolation } from './number-rules.ts';

const bound = (text: string) => ({ text, value: exactNumber(text) });

/** A decimal as text in one of many spellings, and its value times 10^40. */
const decimals = fc
  .record({
    isNegative: fc.boolean(),
    whole: fc.integer({ min: 0, max: 999_999 }),
    fraction: fc.stringMatching(/^\d{0,12}$/),
    exponent: fc.integer({ min: -20, max: 20 }),
  })
  .map(({ isNegative, whole, fraction, exponent }) => ({
    text: `${isNegative ? '-' : ''}${whole}${fraction && `.${fraction}`}${exponent ? `e${exponent}` : ''}`,
    scaled:
      BigInt(`${isNegative ? '-' : ''}${whole}${fraction}`) * 10n ** BigInt(40 - fraction.length + exponent),
  }));

describe('an exact number', () => {
  it('is compared as arithmetic without rounding compares it', () => {
    fc.assert(
      fc.property(decimals, decimals, (one, other) => {
        const expected = one.scaled < other.scaled ? -1 : one.scaled > other.scaled ? 1 : 0;
        expect(Math.sign(compareExactly(exactNumber(one.text), exactNumber(other.text)))).toBe(expected);
        expect(compareExactly(exactNumber(one.text), exactNumber(one.text))).toBe(0);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ['0', '0.05', -1],
    ['0', '5', -1],
    ['-5', '0', -1],
    ['-0.5', '0', -1],
    ['-0', '0.00', 0],
    ['0.00', '0e5', 0],
    ['0.005', '0.05', -1],
    ['0.0050', '5e-3', 0],
  ])('%s is compared with %s as %i', (one, other, order) => {
    expect(Math.sign(compareExactly(exactNumber(one), exactNumber(other)))).toBe(order);
    expect(Math.sign(compareExactly(exactNumber(other), exactNumber(one)))).toBe(0 - order);
  });

  it('is a multiple where arithmetic without rounding leaves no remainder', () => {
    fc.assert(
      fc.property(decimals, fc.constantFrom('0.05', '0.3', '1', '25', '1e-8', '7e3'), (one, step) => {
        const scaledStep = BigInt(Math.round(Number(step) * 1e8)) * 10n ** 32n;
        const rules: NumberRules = { isSigned: true, multipleOf: bound(step) };
        expect(numberViolation(one.text, rules) === undefined).toBe(one.scaled % scaledStep === 0n);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['1e999999999999', '-1e-999999999999', `1e${'9'.repeat(400)}`, `1${'0'.repeat(100_000)}`])(
    'needs no more room than its text: %.20s',
    (text) => {
      const rules = { isSigned: true, maximum: bound('10'), multipleOf: bound('0.05') };
      expect(numberViolation(text, rules)).toBeDefined();
    },
  );
});

describe('the rules of a schema for numbers', () => {
  const price: NumberRules = { form: { digits: 18, fractionDigits: 6 }, isSigned: false };
  const count: NumberRules = {
    form: 'integer',
    isSigned: true,
    minimum: bound('-9007199254740993'),
    maximum: bound('9007199254740993'),
  };
  it.each([
    [price, '123456789012.123456', undefined],
    [price, '123456789012345678', undefined],
    [price, '1.0E7', undefined],
    [price, '0.1234567', 'format'],
    [price, '1234567890123456789', 'format'],
    [price, '-1', 'format'],
    [price, '-0', 'format'],
    [{ form: { digits: 3, fractionDigits: 6 }, isSigned: true }, '-1.5', undefined],
    [{ form: { digits: 3, fractionDigits: 6 }, isSigned: true }, '0.000123', undefined],
    [{ form: { digits: 3, fractionDigits: 6 }, isSigned: true }, '0.001234', 'format'],
    [count, '-7', undefined],
    [count, '0', undefined],
    [count, '-0', 'format'],
    [count, '1.0', 'format'],
    [count, '1e2', 'format'],
    // As doubles they are equal.
    [count, '9007199254740993', undefined],
    [count, '9007199254740994', 'maximum'],
    [count, '-9007199254740993', undefined],
    [count, '-9007199254740994', 'minimum'],
    [{ isSigned: false, exclusiveMinimum: bound('0') }, '0.00', 'exclusiveMinimum'],
    [{ isSigned: false, exclusiveMinimum: bound('0') }, '0.01', undefined],
    [{ isSigned: false, exclusiveMaximum: bound('1') }, '1.0', 'exclusiveMaximum'],
    [{ isSigned: false, exclusiveMaximum: bound('1') }, '0.99999999999999999999', undefined],
    [{ isSigned: false, multipleOf: bound('0.05') }, '0.15', undefined],
    [{ isSigned: false, multipleOf: bound('0.05') }, '0.150000000000000000001', 'multipleOf'],
    [{ isSigned: false, multipleOf: bound('1e-300') }, '0', undefined],
    [{ isSigned: false, multipleOf: bound('1e-200') }, '1', undefined],
    [{ isSigned: false, multipleOf: bound('1e-201') }, '1', 'multipleOf'],
    [{ isSigned: false, values: [bound('1'), bound('5')] }, '5.0', undefined],
    [{ isSigned: false, values: [bound('1'), bound('5')] }, '5.0000000000000000001', 'enum'],
  ] as [NumberRules, string, string | undefined][])('%j says of %s: %s', (rules, text, code) => {
    expect(numberViolation(text, rules)?.code).toBe(code);
  });

  it.each<[Partial<NumberRules>, string, string]>([
    [{ form: 'integer', isSigned: false }, '-2', 'written without a sign'],
    [{ form: 'integer' }, '2.0', 'a whole number, written without point or exponent'],
    [{ minimum: bound('3.0') }, '2', 'at least 3.0'],
    [{ exclusiveMinimum: bound('3') }, '2', 'more than 3'],
    [{ maximum: bound('1') }, '2', 'at most 1'],
    [{ exclusiveMaximum: bound('1') }, '2', 'less than 1'],
    [{ multipleOf: bound('0.3') }, '2', 'a multiple of 0.3'],
    [{ values: [bound('1'), bound('5')] }, '2', 'one of 1, 5'],
  ])('say %j with %s: must be %s', (rules, text, rule) => {
    expect(numberViolation(text, { isSigned: true, ...rules })?.detail).toBe(`must be ${rule}, not ${text}`);
  });
});
