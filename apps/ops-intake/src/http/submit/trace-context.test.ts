import { randomFillSync } from 'node:crypto';
import { traceContext } from './trace-context.ts';

const NEW = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${PARENT}-01`;

const sentOn = (traceparent?: string, tracestate?: string) =>
  traceContext({ traceparent, tracestate }, randomFillSync);

describe('traceparent', () => {
  it.each([
    [VALID, VALID],
    [`00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
    // Flags that version 00 does not define are not passed on (W3C Trace Context, 3.2.2.5.1).
    [`00-${TRACE}-${PARENT}-ff`, VALID],
    // A later version is passed on as version 00, with the parts that version 00 has (3.2.4).
    [`01-${TRACE}-${PARENT}-01`, VALID],
    [`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, VALID],
    [`cc-${TRACE}-${PARENT}-01-${'x'.repeat(15_000)}`, VALID],
  ])('is sent on: %#', (given, expected) => {
    expect(sentOn(given)).toEqual({ traceparent: expected });
  });

  it.each([
    [undefined],
    [''],
    [`ff-${TRACE}-${PARENT}-01`],
    [`00-${TRACE}-${PARENT}-01-more`],
    [`cc-${TRACE}-${PARENT}-01.more`],
    [`00-${TRACE}-${PARENT}-1`],
    [`00-${TRACE.toUpperCase()}-${PARENT}-01`],
    [`00-${'0'.repeat(32)}-${PARENT}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`${VALID}, ${VALID}`],
    ['x'.repeat(15_000)],
  ])('is replaced by a new one, and its tracestate dropped: %#', (given) => {
    expect(sentOn(given, 'vendor=1')).toEqual({ traceparent: expect.stringMatching(NEW) });
    expect(sentOn(given)).not.toEqual(sentOn(given));
  });
});

describe('tracestate', () => {
  const members = (count: number, length = 1) =>
    Array.from({ length: count }, (_, index) => `key${index}=${'v'.repeat(length)}`);

  it.each([
    ['vendor=value', 'vendor=value'],
    ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    ['fw529a3039@dt=FfAAAAA , a/b*c-d_e=!~', 'fw529a3039@dt=FfAAAAA,a/b*c-d_e=!~'],
    // Empty members are allowed and mean nothing.
    ['a=1,, ,b=2', 'a=1,b=2'],
    [members(32).join(), members(32).join()],
    // Longer than 512 characters: members over 128 go first, then those at the end (3.3.1.5).
    [`a=1,b=${'v'.repeat(200)},${members(30, 12).join()}`, `a=1,${members(27, 12).join()}`],
    [`a=${'v'.repeat(200)},b=1`, `a=${'v'.repeat(200)},b=1`],
  ])('is sent on: %#', (given, expected) => {
    expect(expected.length).toBeLessThanOrEqual(512);
    expect(sentOn(VALID, given)).toEqual({ traceparent: VALID, tracestate: expected });
  });

  it.each([
    [undefined],
    [''],
    [' , '],
    ['no-value'],
    ['UPPER=1'],
    ['a=1,a=2'],
    ['a=b=c'],
    ['a=\u00e9'],
    ['=1'],
    [members(33).join()],
    [`a=${'v'.repeat(257)}`],
    [`${'k'.repeat(257)}=1`],
  ])('is dropped: %#', (given) => {
    expect(sentOn(VALID, given)).toEqual({ traceparent: VALID });
  });
});
