import { type Address, parseAddress } from './address.ts';
import type { Network } from './network.ts';
import { isTrusted } from './trusted-proxies.ts';

/** What a connection and its headers claim about the caller. */
export interface Claims {
  /** address of the other end of the socket */
  readonly peer: string | undefined;
  /** X-Forwarded-For, several lines joined by commas */
  readonly forwardedFor: string | undefined;
  /** the header of CLIENT_IP_HEADER, when one is configured */
  readonly clientIp: string | undefined;
}

/** A chain longer than this is an attack on our time, not a chain of proxies. */
const LONGEST_CHAIN = 20;

/**
 * Who is asking. The socket, unless it belongs to a trusted proxy; then what that proxy says: its client header, or
 * the rightmost entry of X-Forwarded-For that is no trusted proxy (entries left of it are whatever the caller wrote).
 * @returns undefined when the deciding claim is no address; it is never replaced by the next best one
 */
export function callerAddress(claims: Claims, trusted: readonly Network[]): Address | undefined {
  const peer = claims.peer === undefined ? undefined : parseAddress(withoutZone(claims.peer));
  if (!peer || trusted.length === 0 || !isTrusted(trusted, peer)) return peer;
  if (claims.clientIp !== undefined) return parseEntry(claims.clientIp);
  return claims.forwardedFor === undefined ? peer : nearestStranger(claims.forwardedFor, peer, trusted);
}

/** The kernel's own addresses carry a zone when they are link-local; what a client sends may not. */
const withoutZone = (text: string): string => text.split('%', 1)[0] ?? text;

function nearestStranger(chain: string, peer: Address, trusted: readonly Network[]): Address | undefined {
  let nearest = peer;
  let end = chain.length;
  for (let hop = 0; hop < LONGEST_CHAIN && end >= 0; hop++) {
    const comma = end === 0 ? -1 : chain.lastIndexOf(',', end - 1);
    const entry = chain.slice(comma + 1, end).trim();
    end = comma;
    // RFC 9110 §5.6.1: empty list elements are no elements.
    if (entry === '') continue;
    const address = parseEntry(entry);
    if (!address || !isTrusted(trusted, address)) return address;
    nearest = address;
  }
  return nearest;
}

/** One entry: an address, perhaps in brackets, perhaps with a port. */
function parseEntry(text: string): Address | undefined {
  const entry = text.trim();
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry) ?? /^([\d.]+):\d{1,5}$/.exec(entry);
  return parseAddress(bare?.[1] ?? entry);
}
