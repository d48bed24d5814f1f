import { createRequestId } from './request-id.ts';

const requestId = createRequestId();
const idOf = (given?: string): string =>
  requestId({ headers: given === undefined ? {} : { 'x-request-id': given } });

test('thousands of requests get different ids of the same form', () => {
  const ids = Array.from({ length: 3_000 }, () => idOf());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[0-9a-f]{20}-\d{4,}$/.test(id))).toEqual([]);
});

test("a caller's id is kept when it is well formed", () => {
  expect(idOf('order:42')).toBe('order:42');
  expect(idOf('two words')).toMatch(/^[0-9a-f]{20}-\d{4,}$/);
});
