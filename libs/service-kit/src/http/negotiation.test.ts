import { negotiate } from './negotiation.ts';

it.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV; charset=utf-8', 'text/csv'],
  ['text/*', 'text/html'],
  ['text/*, text/html;q=0.5', 'text/csv'],
  ['text/html;q=0.5, text/csv;q=0.9', 'text/csv'],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'text/html'],
  ['application/json;q=0, */*', 'text/html'],
  ['image/png', 'application/json'],
  ['nonsense;q=x,,', 'application/json'],
  [`${'a/b,'.repeat(100_000)}text/csv`, 'application/json'],
])('%# %.60s', (accept, expected) => {
  expect(negotiate(accept, ['application/json', 'text/html', 'text/csv'])).toBe(expected);
});
