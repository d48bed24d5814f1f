import { isIPv4, isIPv6, type Socket } from 'node:net';
import { parseAddress } from '@workspace/ip-addresses';
import fc from 'fast-check';
import { createClientAddress } from './client-address.ts';

const PROXY = '127.0.0.1';
const clientOf = createClientAddress({ TRUST_PROXY: 'loopback, 10.0.0.0/8', CLIENT_IP_HEADER: 'Forwarded' });
const client = (forwarded: string | undefined, peer = PROXY) =>
  clientOf({
    headers: { ...(forwarded !== undefined && { forwarded }), 'x-forwarded-for': '6.6.6.6' },
    socket: { remoteAddress: peer } as Socket,
  })?.text;

describe('CLIENT_IP_HEADER=forwarded', () => {
  it.each([
    [undefined, PROXY],
    ['', PROXY],
    ['for=1.2.3.4', '1.2.3.4'],
    ['FOR=1.2.3.4;proto=http;by=203.0.113.43', '1.2.3.4'],
    ['for=9.9.9.9 ,\t for=1.2.3.4 ,, for=10.0.0.1;by=_a , for=127.0.0.1', '1.2.3.4'],
    ['for=10.0.0.2, for=10.0.0.1', '10.0.0.2'],
    // What a client writes does not reach beyond the comma of the next proxy.
    ['for=6.6.6.6;x=", for=1.2.3.4', '1.2.3.4'],
    ['for=1.2.3.4, garbage, for=10.0.0.1', undefined],
    // The proxy does not say, or breaks the grammar.
    ['for=_SEVKISEK, for=10.0.0.1', undefined],
    ['proto=https', undefined],
    ['for=1.2.3.4; proto=http', undefined],
    ['for=1.2.3.4;by=_a;By=_b', undefined],
    ['for=1.2.3.4\u00a0', undefined],
  ])('%s', (forwarded, expected) => {
    expect(client(forwarded)).toBe(expected);
    expect(client(forwarded, '8.8.8.8')).toBe('8.8.8.8');
  });

  it.each([
    ['for=10.0.0.9,'.repeat(19) + 'for=10.0.0.7', '10.0.0.9'],
    ['for=10.0.0.9,'.repeat(20) + 'for=10.0.0.7', undefined],
  ])('reads at most twenty elements', (forwarded, expected) => expect(client(forwarded)).toBe(expected));
});

it('Forwarded does not count by default', () => {
  const socket = { remoteAddress: PROXY } as Socket;
  const clientByDefault = createClientAddress({ TRUST_PROXY: 'loopback' });
  const headers = { forwarded: 'for=6.6.6.6', 'x-forwarded-for': '1.2.3.4' };
  expect(clientByDefault({ headers, socket })?.text).toBe('1.2.3.4');
  expect(clientByDefault({ headers: { forwarded: 'for=6.6.6.6' }, socket })?.text).toBe(PROXY);
});

/** RFC 7239, 4, a character at a time: the pairs of an element; undefined when it breaks the grammar. */
const pairsOf = (text: string): [string, string][] | undefined => {
  const isTokenCharacter = (one = '') =>
    /^[A-Za-z0-9]$/.test(one) || (one !== '' && "!#$%&'*+-.^_`|~".includes(one));
  const pairs: [string, string][] = [];
  let at = 0;
  const token = () => {
    let read = '';
    while (isTokenCharacter(text[at])) read += text[at++];
    return read;
  };
  for (;;) {
    const name = token();
    if (name !== '') {
      if (text[at++] !== '=') return undefined;
      let value = '';
      if (text[at] === '"') {
        for (at++; text[at] !== '"'; at++) {
          if (text[at] === '\\') at++;
          if (text[at] === undefined) return undefined;
          value += text[at];
        }
        at++;
      } else {
        value = token();
        if (value === '') return undefined;
      }
      pairs.push([name.toLowerCase(), value]);
    }
    if (at === text.length) return pairs;
    if (text[at++] !== ';') return undefined;
  }
};

/** By Node's own reading of addresses. */
const expectedAddress = (element: string): string | undefined => {
  const pairs = pairsOf(element.replace(/^[ \t]+/, '').replace(/[ \t]+$/, ''));
  if (!pairs || new Set(pairs.map(([name]) => name)).size < pairs.length) return undefined;
  const node = pairs.find(([name]) => name === 'for')?.[1] ?? '';
  const host = node.replace(/:(\d{1,5}|_[A-Za-z0-9._-]+)$/, '');
  const v6 = /^\[(.*)\]$/.exec(host)?.[1];
  if (v6 === undefined ? !isIPv4(host) : !isIPv6(v6) || v6.includes('%')) return undefined;
  return parseAddress(v6 ?? host)!.text;
};

/** The nearest element is the shortest end of the header that is one. Tries them all. */
const expectedNearest = (text: string): string | undefined => {
  const header = text.replace(/[ \t,]+$/, '');
  for (let comma = header.length; comma >= 0;) {
    comma = comma === 0 ? -1 : header.lastIndexOf(',', comma - 1);
    const element = header.slice(comma + 1).trim();
    if (element !== '' && pairsOf(element)) return expectedAddress(element);
    if (comma < 0) return undefined;
  }
  return undefined;
};

const pieces = fc.constantFrom(
  ...[
    'for=',
    'For="',
    'by=',
    'x="',
    '"',
    '\\',
    '\\"',
    ',',
    ', ',
    ';',
    '=',
    ' ',
    '\t',
    'unknown',
    '_a',
    ':80',
    ':_b',
  ],
  ...['1.2.3.4', '8.8.8.8', '[2001:db8::1]', '[', ']', '::1', '%', 'a', '01', 'for="[::ffff:9.9.9.9]:1"'],
);
const texts = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''));
const RUNS = { numRuns: 3_000 };

it('finds the nearest element of any header', () => {
  const nearest = createClientAddress({ TRUST_PROXY: PROXY, CLIENT_IP_HEADER: 'forwarded' });
  const socket = { remoteAddress: PROXY } as Socket;
  fc.assert(
    fc.property(texts, (forwarded) => {
      fc.pre(/[^\s,]/.test(forwarded));
      expect(nearest({ headers: { forwarded }, socket })?.text).toBe(expectedNearest(forwarded));
    }),
    RUNS,
  );
});
