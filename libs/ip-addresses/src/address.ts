/**
 * IP addresses: strict parsing and canonical formatting, nothing else.
 *
 * Own code instead of a package, because packages disagree where it matters: several well-known parsers turn
 * `010.8.8.8`, `134744072`, `::8.8.8.8` or a zone id into an address the sender never meant.
 */

/** One address. `bytes` holds 4 or 16 octets in network order; `text` is the canonical spelling. */
export interface Address {
  readonly text: string;
  readonly family: 4 | 6;
  readonly bytes: Uint8Array;
}

const DOT = 46;
const ZERO = 48;
const COLON = 58;

/** Longest spelling of an IPv6 address: six groups and a dotted quad. */
const MAX_LENGTH = 45;

/**
 * Parses an address written in full: a dotted quad of four decimal octets without leading zeros, or IPv6 as defined by
 * RFC 4291 §2.2, without a zone id. An IPv4-mapped IPv6 address (`::ffff:1.2.3.4`) becomes the IPv4 address it carries.
 * @returns undefined for everything else; the text is neither trimmed nor interpreted
 */
export const parseAddress = (text: string): Address | undefined => {
  if (text.length > MAX_LENGTH) return undefined;
  const quad = parseQuad(text, 0);
  if (quad) return { text, family: 4, bytes: quad };
  const bytes = parseGroups(text);
  if (!bytes) return undefined;
  return addressOf(isMapped(bytes) ? bytes.slice(12) : bytes);
};

/** The address of 4 or 16 octets. An IPv4-mapped address stays one of IPv6. */
export const addressOf = (bytes: Uint8Array): Address =>
  bytes.length === 4
    ? { text: bytes.join('.'), family: 4, bytes }
    : { text: formatIPv6(bytes), family: 6, bytes };

/** A dotted quad from `start` to the end of `text`: four octets, or undefined. */
const parseQuad = (text: string, start: number): Uint8Array | undefined => {
  const bytes = new Uint8Array(4);
  let octet = 0;
  let value = 0;
  let digits = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || octet === 3) return undefined;
      bytes[octet++] = value;
      value = digits = 0;
      continue;
    }
    const digit = code - ZERO;
    // A leading zero means octal to some systems and decimal to others (CVE-2021-29921), so it is rejected.
    if (digit < 0 || digit > 9 || (digits > 0 && value === 0)) return undefined;
    value = value * 10 + digit;
    if (value > 255) return undefined;
    digits++;
  }
  if (octet !== 3 || digits === 0) return undefined;
  bytes[3] = value;
  return bytes;
};

/** Sixteen octets of an IPv6 text, or undefined. */
const parseGroups = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array(16);
  let filled = 0;
  let gap = -1;
  let at = 0;
  if (text.startsWith('::')) {
    gap = 0;
    at = 2;
  }
  while (at < text.length) {
    if (filled === 16) return undefined;
    const end = groupEnd(text, at);
    if (text.charCodeAt(end) === DOT) {
      const quad = filled <= 12 ? parseQuad(text, at) : undefined;
      if (!quad) return undefined;
      bytes.set(quad, filled);
      filled += 4;
      break;
    }
    if (end === at || end - at > 4) return undefined;
    const group = Number.parseInt(text.slice(at, end), 16);
    bytes[filled++] = group >> 8;
    bytes[filled++] = group & 0xff;
    if (end === text.length) break;
    if (text.charCodeAt(end) !== COLON) return undefined;
    at = end + 1;
    if (text.charCodeAt(at) === COLON) {
      if (gap >= 0) return undefined;
      gap = filled;
      at++;
    } else if (at === text.length) return undefined;
  }
  if (gap < 0) return filled === 16 ? bytes : undefined;
  // `::` stands for at least one group of zeros.
  if (filled > 14) return undefined;
  bytes.copyWithin(16 - (filled - gap), gap, filled);
  bytes.fill(0, gap, 16 - (filled - gap));
  return bytes;
};

/** Index of the first character from `at` on that is not a hexadecimal digit. */
const groupEnd = (text: string, at: number): number => {
  while (at < text.length && isHexDigit(text.charCodeAt(at))) at++;
  return at;
};

const isHexDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

const isMapped = (bytes: Uint8Array): boolean => {
  for (let at = 0; at < 10; at++) if (bytes[at] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
};

/** The canonical text of RFC 5952: lower case, no leading zeros, the first longest run of zero groups as `::`. */
export const formatIPv6 = (bytes: Uint8Array): string => {
  const { start, end } = longestZeroRun(bytes);
  let text = '';
  for (let group = 0; group < 8; group++) {
    if (group === start) {
      text += '::';
      group = end - 1;
    } else {
      if (group > 0 && group !== end) text += ':';
      text += groupAt(bytes, group).toString(16);
    }
  }
  return text;
};

const groupAt = (bytes: Uint8Array, group: number): number =>
  ((bytes[2 * group] ?? 0) << 8) | (bytes[2 * group + 1] ?? 0);

/** The groups from `start` up to `end`; -1 when no run is longer than one group, as RFC 5952 §4.2.2 requires. */
const longestZeroRun = (bytes: Uint8Array): { start: number; end: number } => {
  let start = -1;
  let end = -1;
  for (let first = 0; first < 8; first++) {
    let after = first;
    while (after < 8 && groupAt(bytes, after) === 0) after++;
    if (after - first > Math.max(1, end - start)) {
      start = first;
      end = after;
    }
    first = after;
  }
  return { start, end };
};
