import { type Address, addressOf, formatIPv6, parseAddress } from '@workspace/ip-addresses';

/** What a proxy says of a connection before the bytes of its client. */
export interface ProxyHeader {
  /** of the header, in bytes */
  readonly length: number;
  /** the client's address; undefined when the proxy knows none, or the connection is its own */
  readonly source: Address | undefined;
}

/** The longest header that is read, as in nginx. Without certificates in its vectors, one of version 2 has a few hundred bytes. */
export const MAX_HEADER_BYTES = 4_096;

const LINE_START = Buffer.from('PROXY ');
const MAX_LINE_BYTES = 107;
const PORT = '(0|[1-9]\\d{0,4})';
const LINE = new RegExp(`^PROXY TCP([46]) ([\\da-fA-F.:]+) ([\\da-fA-F.:]+) ${PORT} ${PORT}$`);
const UNKNOWN_LINE = /^PROXY UNKNOWN(?: |$)/;

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n');
const FIXED_BYTES = 16;
const [LOCAL, PROXY] = [0, 1];
/** The bytes of the addresses and ports of each family: unspecified, IPv4, IPv6, Unix. */
const FAMILY_BYTES = [0, 12, 36, 216];
const MAX_PROTOCOL = 2;

/**
 * Parses what a connection begins with as a header of the PROXY protocol, version 1 or 2
 * (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt, section 2). Vectors (TLV) are skipped.
 * @param bytes what has arrived, with what follows the header
 */
export const parseProxyHeader = (bytes: Buffer): ProxyHeader | 'incomplete' | 'invalid' => {
  if (beginAlike(bytes, LINE_START)) return parseLine(bytes);
  return beginAlike(bytes, SIGNATURE) ? parseBinary(bytes) : 'invalid';
};

const beginAlike = (bytes: Buffer, start: Buffer): boolean => {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
};

const parseLine = (bytes: Buffer): ProxyHeader | 'incomplete' | 'invalid' => {
  const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf('\r\n');
  if (end < 0) return bytes.length < MAX_LINE_BYTES ? 'incomplete' : 'invalid';
  const line = bytes.toString('latin1', 0, end);
  const length = end + 2;
  if (UNKNOWN_LINE.test(line)) return { length, source: undefined };
  const [, family, source = '', destination = '', ...ports] = LINE.exec(line) ?? [];
  const isOfFamily = (text: string): boolean => text.includes(':') === (family === '6');
  if (!isOfFamily(source) || !isOfFamily(destination)) return 'invalid';
  const address = parseAddress(source);
  const isValid = address && parseAddress(destination) && ports.every((port) => Number(port) <= 65_535);
  return isValid ? { length, source: address } : 'invalid';
};

const parseBinary = (bytes: Buffer): ProxyHeader | 'incomplete' | 'invalid' => {
  if (bytes.length < FIXED_BYTES) return 'incomplete';
  const [version, command] = halves(bytes[12]!);
  const [family, protocol] = halves(bytes[13]!);
  const length = FIXED_BYTES + bytes.readUInt16BE(14);
  if (version !== 2 || command > PROXY || length > MAX_HEADER_BYTES) return 'invalid';
  if (command !== LOCAL) {
    if (family >= FAMILY_BYTES.length || protocol > MAX_PROTOCOL) return 'invalid';
    if (protocol > 0 && length < FIXED_BYTES + FAMILY_BYTES[family]!) return 'invalid';
  }
  if (bytes.length < length) return 'incomplete';
  if (command === LOCAL || protocol === 0) return { length, source: undefined };
  return { length, source: sourceOf(family, bytes) };
};

const halves = (byte: number): [number, number] => [byte >> 4, byte & 15];

const sourceOf = (family: number, bytes: Buffer): Address | undefined => {
  const octets = (count: number): Uint8Array =>
    Uint8Array.from(bytes.subarray(FIXED_BYTES, FIXED_BYTES + count));
  if (family === 1) return addressOf(octets(4));
  // Also an IPv4 address that is written as an IPv6 address.
  return family === 2 ? parseAddress(formatIPv6(octets(16))) : undefined;
};
