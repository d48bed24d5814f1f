import type { Random } from '@workspace/testing/seeded-random';
import { OPERATIONS } from '../src/domain/operation.ts';

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(random: Random, options: readonly T[]): T => options[below(random, options.length)] as T;

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => below(random, 10)).join('');

const wholeNumber = (random: Random, mostDigits: number): string =>
  `${1 + below(random, 9)}${digits(random, below(random, mostDigits))}`;

/** A unit cost that the rules allow, as a decimal type or a binary one writes it. */
const unitCost = (random: Random): string => {
  if (random() < 0.1)
    return oneOf(random, ['0', '0.00', '1.0E7', '1e-05', '2.5e-7', '1E+3', '0e0', '0.00000001']);
  const whole = random() < 0.3 ? '0' : wholeNumber(random, 7);
  return random() < 0.3 ? whole : `${whole}.${digits(random, 1 + below(random, 8))}`;
};

/** How a serializer separates: compact, as Python does, or indented. */
const STYLES = [
  { open: '', colon: ':', comma: ',', close: '' },
  { open: '', colon: ': ', comma: ', ', close: '' },
  { open: '\n    ', colon: ': ', comma: ',\n    ', close: '\n  ' },
] as const;

const operation = (random: Random, { open, colon, comma, close }: (typeof STYLES)[number]): string => {
  const members = [
    `"operation"${colon}"${oneOf(random, OPERATIONS)}"`,
    `"unit-cost"${colon}${unitCost(random)}`,
    `"quantity"${colon}${wholeNumber(random, 15)}`,
  ];
  if (random() < 0.3) members.sort(() => random() - 0.5);
  return `{${open}${members.join(comma)}${close}}`;
};

/** A valid body of up to four operations, as a serializer writes it. */
export const plainBody = (random: Random): Buffer => {
  const style = oneOf(random, STYLES);
  const operations = Array.from({ length: 1 + below(random, 4) }, () => operation(random, style));
  return Buffer.from(`[${operations.join(style.comma)}]${random() < 0.1 ? '\n' : ''}`);
};

/** What makes a body invalid, or valid in a way that no serializer writes. */
const PIECES = [
  ...'[]{},:"\\-+.eE0159 \t\n\r\u0000\u001f',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '01',
  '00',
  '.5',
  '5.',
  '1e',
  '1e+',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '999999999999999',
  '1234567890123456',
  '0.000000001',
  '0.1234567890123456',
  '123456789012345.6',
  ...OPERATIONS.map((kind) => JSON.stringify(kind)),
  '"hold"',
  '"\\u0062uy"',
  '"operation"',
  '"quantity"',
  '"unit-cost"',
  '"operation":"buy",',
  '"quantity":1,',
  ',"unit-cost":1',
  '"__proto__":{},',
  '{}',
  '[]',
  '/**/',
  "'",
  '\ufeff',
  '\u00a0',
  'é',
  '😀',
  '\\ud800',
].map((text) => Buffer.from(text));

const splice = (body: Buffer, at: number, removed: number, piece: Uint8Array): Buffer =>
  Buffer.concat([body.subarray(0, at), piece, body.subarray(at + removed)]);

/** Puts a piece where a value stood: the border between valid and invalid numbers is there. */
const otherValue = (random: Random, body: Buffer): Buffer => {
  const colon = body.indexOf(':', below(random, body.length));
  if (colon < 0) return body;
  let end = colon + 1;
  while (end < body.length && !',}]\n'.includes(String.fromCharCode(body[end]!))) end += 1;
  const piece =
    random() < 0.5
      ? oneOf(random, PIECES)
      : Buffer.from(random() < 0.5 ? unitCost(random) : digits(random, 17));
  return splice(body, colon + 1, end - colon - 1, piece);
};

/** A valid body with up to three pieces replaced, inserted, removed, swapped, doubled or cut off; sometimes random bytes. */
export const hostileBody = (random: Random): Buffer => {
  if (random() < 0.02)
    return Buffer.from(Array.from({ length: below(random, 40) }, () => below(random, 256)));
  let body = plainBody(random);
  for (let count = below(random, 4); count > 0; count -= 1) {
    const at = below(random, body.length + 1);
    const kind = random();
    if (kind < 0.3) body = otherValue(random, body);
    else if (kind < 0.5) body = splice(body, at, 0, oneOf(random, PIECES));
    else if (kind < 0.65) body = splice(body, at, 1, oneOf(random, PIECES));
    else if (kind < 0.75) body = splice(body, at, 1 + below(random, 12), new Uint8Array());
    else if (kind < 0.85) body = splice(body, at, 1, Buffer.from([below(random, 256)]));
    else if (kind < 0.95) body = splice(body, at, 0, body.subarray(at, at + below(random, 30)));
    else body = body.subarray(0, at);
  }
  return body;
};
