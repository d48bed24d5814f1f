import assert from 'node:assert/strict';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { idempotencyKey } from '../src/http/submit/submission-headers.ts';

const HEADERS = 'apps/ops-intake/src/http/submit/submission-headers.ts';
const MOST_CHARACTERS = 255;

const isPrintable = (code: number): boolean => code >= 0x20 && code <= 0x7e;

/** The text of a quoted string (RFC 8941, 4.2.5), character by character; undefined when it is not one. */
const unquoted = (header: string): string | undefined => {
  let text = '';
  for (let at = 1; at < header.length; at += 1) {
    const character = header[at]!;
    if (character === '"') return at === header.length - 1 ? text : undefined;
    if (character === '\\') {
      at += 1;
      if (header[at] !== '"' && header[at] !== '\\') return undefined;
      text += header[at];
    } else if (isPrintable(character.charCodeAt(0))) text += character;
    else return undefined;
  }
  return undefined;
};

const referenceKey = (header: string): string | undefined => {
  const isQuoted = header.startsWith('"');
  const key = isQuoted ? unquoted(header) : header;
  if (key === undefined || key === '' || key.length > MOST_CHARACTERS) return undefined;
  // A list of keys is none.
  const isBare = [...key].every((one) => isPrintable(one.charCodeAt(0)) && !' ",'.includes(one));
  return isQuoted || isBare ? key : undefined;
};

export const keys: FuzzTarget = {
  name: 'keys',
  property:
    'an Idempotency-Key is what a reader of structured fields finds, and quoting it again gives the same',
  seeds: ['8e03978e-40d5-43dd-bc93-6894a57f9324', '"a key"', '"with \\" and \\\\"', `"${'k'.repeat(255)}"`],
  dictionary: ['\\"', '\\\\', '"', ',', 'x'.repeat(64), '\u0080', '\u007f'],
  branchesPerByte: 100,
  planted: [
    { file: HEADERS, from: '{1,255})"', to: '{1,256})"' },
    { file: HEADERS, from: '\\\\x5d-\\\\x7e]|', to: '\\\\x5c-\\\\x7e]|' },
    { file: HEADERS, from: "/\\\\([\"\\\\])/g, '$1'", to: "/\\\\([\"])/g, '$1'" },
    { file: HEADERS, from: '\\\\x2d-\\\\x7e]{1,255}', to: '\\\\x2c-\\\\x7e]{1,255}' },
  ],
  check: (input) => {
    const header = input.toString('latin1');
    const key = idempotencyKey(header);
    assert.equal(key, referenceKey(header));
    if (key !== undefined) assert.equal(idempotencyKey(`"${key.replace(/["\\]/g, '\\$&')}"`), key);
  },
};
