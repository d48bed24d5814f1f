import { timingSafeEqual } from 'node:crypto';
import { digestOfToken, type TokenDigests } from './token-digests.ts';

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** The bearer token of an Authorization header; undefined when there is none. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  BEARER.exec(authorization ?? '')?.[1];

/**
 * The principal whose token this is; undefined when it is unknown. Takes the same time for any token: digests are of one
 * length, and every one is compared, found or not.
 */
export const principalOfToken = (token: string, digests: TokenDigests): string | undefined => {
  const given = digestOfToken(token);
  let found: string | undefined;
  for (const [principal, expected] of digests) {
    if (timingSafeEqual(given, expected)) found = principal;
  }
  return found;
};
