import fc from 'fast-check';
import Negotiator from 'negotiator';
import { negotiate } from './negotiation.ts';

const OFFERS = ['application/json', 'text/html', 'text/csv'] as const;

it.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ['text/*', 'text/html'],
  ['text/*, text/html;q=0.5', 'text/csv'],
  ['text/html;q=0.5, text/csv;q=0.9', 'text/csv'],
  ['text/html; q=0.5, text/csv; q=0.9', 'text/csv'],
  ['text/html; q=0, application/json; q=0.9', 'application/json'],
  ['text/html;level="1;q=0", application/json;q=0.5', 'text/html'],
  ['text/html;note="a, text/csv", application/json;q=0.5', 'text/html'],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'text/html'],
  ['application/json;q=0, */*', 'text/html'],
  ['image/png', 'application/json'],
  ['nonsense;q=x,,', 'application/json'],
  // The part that is read ends within a weight.
  [`text/csv;q=0.1,${' '.repeat(975)}text/html;q=0.01`, 'text/csv'],
  [`${'a/b,'.repeat(100_000)}text/csv`, 'application/json'],
])('%# %.60s', (accept, expected) => {
  expect(negotiate(accept, OFFERS)).toBe(expected);
});

it('takes every spelling of the grammar for the same preference', () => {
  const range = fc.record({
    type: fc.constantFrom(...OFFERS, 'text/*', '*/*', 'image/png', 'TEXT/Html'),
    parameters: fc.array(
      fc.constantFrom(
        'charset=utf-8',
        'level=1',
        'note="a, b; q=0"',
        String.raw`note="\";q=0"`,
        'quality=0',
        '',
      ),
      { maxLength: 2 },
    ),
    weight: fc.constantFrom(undefined, '0', '0.', '0.000', '0.1', '0.25', '0.999', '1', '1.000'),
    name: fc.constantFrom('q', 'Q'),
    // One for each place at which RFC 9110 allows optional whitespace (§5.6.1, §5.6.6, §12.4.2).
    spaces: fc.array(fc.constantFrom('', ' ', '\t', '  \t'), { minLength: 10, maxLength: 10 }),
  });
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), (ranges) => {
      const plain = ranges.map(({ type, weight }) => (weight === undefined ? type : `${type};q=${weight}`));
      const spelled = ranges.map(({ type, parameters, weight, name, spaces }) => {
        const all = weight === undefined ? parameters : [...parameters, `${name}=${weight}`];
        const parts = all.map((part, at) => `${spaces[2 * at]};${spaces[2 * at + 1]}${part}`);
        return `${spaces[8]}${type}${parts.join('')}${spaces[9]}`;
      });
      const preferred = new Negotiator({ headers: { accept: plain.join() } }).mediaType([...OFFERS]);
      expect(negotiate(spelled.join(), OFFERS)).toBe(preferred ?? OFFERS[0]);
    }),
    { numRuns: 1_000 },
  );
});
