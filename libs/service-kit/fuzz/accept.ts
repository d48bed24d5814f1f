import assert from 'node:assert/strict';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { chooseEncoding } from '../src/accept-encoding.ts';
import { negotiate } from '../src/negotiation.ts';

const NEGOTIATION = 'libs/service-kit/src/negotiation.ts';
const ENCODING = 'libs/service-kit/src/accept-encoding.ts';
const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const WEIGHT = '[ \\t]*;[ \\t]*q=(0(?:\\.\\d{0,3})?|1(?:\\.0{0,3})?)';
const RANGE = new RegExp(
  `^(${TOKEN}/${TOKEN})(?:[ \\t]*;[ \\t]*(?!q=)${TOKEN}=(?:${TOKEN}|"[^"\\\\,;]*"))*(?:${WEIGHT})?$`,
  'i',
);
const CODING = new RegExp(`^(${TOKEN})(?:${WEIGHT})?$`, 'i');
const OFFERS = ['application/json', 'text/html', 'text/csv'] as const;

/**
 * The weights of a list by lower-case name.
 * @returns undefined when the list does not follow the grammar, or has a name twice and so two weights
 */
const weightsOf = (header: string, grammar: RegExp): Map<string, number> | undefined => {
  const weights = new Map<string, number>();
  for (const element of header.split(',').map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''))) {
    const [, name = '', weight = '1'] = grammar.exec(element) ?? [];
    if (name === '' || weights.has(name.toLowerCase())) return undefined;
    weights.set(name.toLowerCase(), Number(weight));
  }
  return weights;
};

export const accept: FuzzTarget = {
  name: 'accept',
  property:
    'of what a valid Accept header allows, an offer of the highest weight is chosen; of anything else, an offer',
  seeds: [
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/*;q=0.5, text/csv;charset=utf-8, application/json;q=0.25',
    'application/json ; q=0 , */*',
  ],
  dictionary: [
    '*/*',
    'text/*',
    ';q=0',
    ';q=1.000',
    ';q=0.001',
    ';level=1',
    ';a="b"',
    '; q=',
    'application/json',
    'TEXT/HTML',
  ],
  branchesPerByte: 100,
  planted: [
    { file: NEGOTIATION, from: '[ \\t]*(?![ \\t]|q=)', to: '[ \\t]*' },
    { file: NEGOTIATION, from: '.replace(PARAMETER', to: '.replace(/;[^,]*/g' },
    {
      file: NEGOTIATION,
      from: '?? offers[0];\n};\n\n/** Characters',
      to: "?? 'none';\n};\n\n/** Characters",
    },
  ],
  check: (input) => {
    const header = input.toString('latin1');
    const chosen = negotiate(header, OFFERS);
    assert(OFFERS.includes(chosen));
    const weights = weightsOf(header, RANGE);
    if (!weights) return;
    const weightOf = (offer: string): number =>
      weights.get(offer) ?? weights.get(offer.replace(/\/.*/, '/*')) ?? weights.get('*/*') ?? 0;
    const best = Math.max(...OFFERS.map(weightOf));
    if (best > 0) assert.equal(weightOf(chosen), best);
    else assert.equal(chosen, OFFERS[0]);
  },
};

export const acceptEncoding: FuzzTarget = {
  name: 'accept-encoding',
  property:
    'a valid Accept-Encoding header gets the coding of the highest weight, br before gzip, and none that it rejects',
  seeds: ['gzip, deflate, br', 'br;q=0.5, gzip;q=0.8, *;q=0.1', 'identity;q=0.5, *;q=0', 'X-GZIP;Q=1', ''],
  dictionary: ['*;q=0', ';q=0', ';q=0.001', 'identity', 'x-gzip', 'br', 'gzip', ', ', ';q=1'],
  branchesPerByte: 100,
  planted: [
    { file: ENCODING, from: '.toLowerCase()', to: '' },
    { file: ENCODING, from: "'gzip', 'identity']", to: "'identity', 'gzip']" },
    { file: ENCODING, from: '.replace(X_GZIP', to: '.replace(/$/' },
  ],
  check: (input) => {
    const header = input.toString('latin1');
    const chosen = chooseEncoding(header);
    const weights = weightsOf(header, CODING);
    if (!weights || (weights.has('gzip') && weights.has('x-gzip'))) return;
    const weightOf = (coding: string): number | undefined =>
      weights.get(coding) ?? (coding === 'gzip' ? weights.get('x-gzip') : undefined) ?? weights.get('*');
    const [br = 0, gzip = 0] = [weightOf('br'), weightOf('gzip')];
    // `*` is also for sending it as it is.
    const identity = weightOf('identity') ?? 0;
    const best = Math.max(br, gzip, identity);
    if (best === 0) assert.equal(chosen, 'identity');
    else assert.equal(chosen, br === best ? 'br' : gzip === best ? 'gzip' : 'identity');
  },
};
