import type { IncomingMessage } from 'node:http';
import { Type } from '@sinclair/typebox';
import type { ClientNetwork } from '@workspace/http-connections';
import { type Address, type Network, networkOf, parseAddress } from '@workspace/ip-addresses';
import { connectionClient } from './connection-client.ts';
import { forwardedAddress, lastUnquotedComma } from './forwarded.ts';
import { isTrusted, parseTrustedProxies } from './trusted-proxies.ts';

/** The variables that decide which headers a service trusts for the client's address; spread them into the service's schema. */
export const clientAddressEnv = {
  TRUST_PROXY: Type.String({
    default: '',
    description:
      'proxies that may name the client: comma-separated addresses, CIDR blocks, `loopback`, `linklocal`, `uniquelocal`; none when empty',
  }),
  CLIENT_IP_HEADER: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]{1,64}$',
      description:
        'header in which a trusted proxy sends the client’s address instead, such as `cf-connecting-ip` or `x-real-ip`; `forwarded` for the chain of RFC 7239',
    }),
  ),
};
export interface ClientAddressConfig {
  TRUST_PROXY: string;
  CLIENT_IP_HEADER?: string;
}

/** What the schema of `clientAddressEnv` cannot check: one sentence for each violation, for `readConfig`. */
export const clientAddressViolations = (config: ClientAddressConfig): string[] => {
  const violations = parseTrustedProxies(config.TRUST_PROXY).invalid.map(
    (place) =>
      `TRUST_PROXY must list addresses, CIDR blocks, loopback, linklocal or uniquelocal; entry ${place} is none of them`,
  );
  if (config.CLIENT_IP_HEADER !== undefined && config.TRUST_PROXY === '') {
    violations.push('CLIENT_IP_HEADER is only read from trusted proxies: set TRUST_PROXY too');
  }
  return violations;
};

/**
 * Determines who sends a request. Fastify's own `request.ip` is not used: it returns header text verbatim (`unknown`,
 * `1.2.3.4:5678`, markup), and its numeric `trustProxy` does not work as documented.
 * @returns undefined when a trusted proxy sends something that is not an address, or a chain of too many proxies; callers must
 *   never replace it by the next best address, which would be a proxy's
 */
export type ClientAddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Address | undefined;

/** Makes the check whether a request comes straight from a trusted proxy, so that its headers can be trusted. */
export const createIsFromTrustedProxy = (
  config: ClientAddressConfig,
): ((request: Pick<IncomingMessage, 'socket'>) => boolean) => {
  const isTrustedProxy = createIsTrustedProxy(config);
  return ({ socket }) => {
    const peer = peerOf(socket);
    return peer !== undefined && isTrustedProxy(peer) && !connectionClient(socket)?.isFinal;
  };
};

/** A header to whose value each proxy of a chain appends an entry. */
interface ChainHeader {
  readonly name: string;
  /** where the comma before the entry is that ends before `end`; -1 without one */
  readonly commaBefore: (entries: string, end: number) => number;
  readonly addressOf: (entry: string) => Address | undefined;
}

/**
 * The client's address is that of the socket, unless the socket belongs to a trusted proxy. Then it is what that proxy
 * says: CLIENT_IP_HEADER if present, or else the rightmost entry of X-Forwarded-For that is not a trusted proxy.
 * Entries further left are whatever the client wrote. With `forwarded`, X-Forwarded-For does not count: the proxy would pass
 * the client's on.
 */
export const createClientAddress = ({
  TRUST_PROXY,
  CLIENT_IP_HEADER,
}: ClientAddressConfig): ClientAddressOf => {
  const proxies = parseTrustedProxies(TRUST_PROXY).networks;
  const name = CLIENT_IP_HEADER?.toLowerCase();
  const chain = name === FORWARDED.name ? FORWARDED : X_FORWARDED_FOR;
  const header = name === FORWARDED.name ? undefined : name;
  return ({ headers, socket }) => {
    const peer = peerOf(socket);
    if (!peer || proxies.length === 0 || !isTrusted(proxies, peer)) return peer;
    if (connectionClient(socket)?.isFinal) return peer;
    const clientIp = header === undefined ? undefined : joined(headers[header]);
    if (clientIp !== undefined) return parseEntry(clientIp);
    const entries = joined(headers[chain.name]);
    return entries === undefined ? peer : rightmostUntrusted(chain, entries, peer, proxies);
  };
};

/** Whether an address is one of the trusted proxies. */
export const createIsTrustedProxy = ({
  TRUST_PROXY,
}: ClientAddressConfig): ((address: Address) => boolean) => {
  const proxies = parseTrustedProxies(TRUST_PROXY).networks;
  return (address) => isTrusted(proxies, address);
};

/**
 * The block of addresses that counts as one client, as text: an IPv4 address, or the /64 around an IPv6 address. One
 * household has a whole /64 and can use a new address for every request.
 */
export const clientNetwork = (address: Address): string =>
  address.family === 4 ? address.text : networkOf(address, 64);

/**
 * The networks that a client counts in, the smallest first. A customer may have a /56 or a /48 of IPv6, with 256 or 65,536
 * blocks that each look like a client.
 */
export const clientNetworks = (address: Address): readonly [ClientNetwork, ...ClientNetwork[]] => {
  if (address.family === 4) return [{ network: address.text, shares: 1 }];
  const known = networksOfIPv6.get(address.text);
  if (known) return known;
  const networks: readonly [ClientNetwork, ...ClientNetwork[]] = [
    { network: clientNetwork(address), shares: 1 },
    { network: networkOf(address, 56), shares: 4 },
    { network: networkOf(address, 48), shares: 16 },
  ];
  if (networksOfIPv6.size >= MOST_KNOWN) networksOfIPv6.clear();
  networksOfIPv6.set(address.text, networks);
  return networks;
};

/** Of addresses that came lately: to write three networks takes 20 µs. */
const networksOfIPv6 = new Map<string, readonly [ClientNetwork, ...ClientNetwork[]]>();
const MOST_KNOWN = 1_000;

/** The networks that a connection counts in; none for a trusted proxy, which connects for many clients. */
export const createConnectionNetworks = (
  trustProxy: string,
): ((socket: IncomingMessage['socket']) => readonly ClientNetwork[]) => {
  const isTrustedProxy = createIsTrustedProxy({ TRUST_PROXY: trustProxy });
  return (socket) => {
    const peer = peerOf(socket);
    return peer === undefined || isTrustedProxy(peer) ? [] : clientNetworks(peer);
  };
};

/** The longest chain of proxies that is read; a longer one is an attack on our CPU time. */
const MAX_HOPS = 20;

const rightmostUntrusted = (
  { commaBefore, addressOf }: ChainHeader,
  entries: string,
  peer: Address,
  proxies: readonly Network[],
): Address | undefined => {
  let nearest = peer;
  let end = entries.length;
  let hops = 0;
  while (hops < MAX_HOPS && end >= 0) {
    const comma = end === 0 ? -1 : commaBefore(entries, end);
    const entry = entries.slice(comma + 1, end);
    end = comma;
    // RFC 9110 §5.6.1: empty list elements do not count.
    if (entry.trim() === '') continue;
    const address = addressOf(entry);
    if (!address || !isTrusted(proxies, address)) return address;
    nearest = address;
    hops++;
  }
  return end >= 0 ? undefined : nearest;
};

/** One entry: an address, perhaps in brackets, perhaps with a port. */
const parseEntry = (text: string): Address | undefined => {
  const entry = text.trim();
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry) ?? /^([\d.]+):\d{1,5}$/.exec(entry);
  return parseAddress(bare?.[1] ?? entry);
};

const X_FORWARDED_FOR: ChainHeader = {
  name: 'x-forwarded-for',
  commaBefore: (entries, end) => entries.lastIndexOf(',', end - 1),
  addressOf: parseEntry,
};

const FORWARDED: ChainHeader = {
  name: 'forwarded',
  commaBefore: lastUnquotedComma,
  addressOf: forwardedAddress,
};

/** The kernel writes link-local addresses with a zone (`fe80::1%eth0`); a header may not contain one. */
const withoutZone = (text: string): string => text.split('%', 1)[0] ?? text;

/** The address at the other end of a socket. */
export const socketAddress = ({ remoteAddress }: Pick<IncomingMessage['socket'], 'remoteAddress'>) =>
  remoteAddress === undefined ? undefined : parseAddress(withoutZone(remoteAddress));

const peerOf = (socket: IncomingMessage['socket']): Address | undefined =>
  connectionClient(socket)?.address ?? socketAddress(socket);

const joined = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header.join() : header;
