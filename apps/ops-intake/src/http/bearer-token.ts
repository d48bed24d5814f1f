import { createHash, timingSafeEqual } from 'node:crypto';

/** Returns the principal whose bearer token an Authorization header carries; undefined when the token is unknown. */
export type PrincipalOf = (authorization: string | undefined) => string | undefined;

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Looks a token up in constant time: digests are of one length, and every token is compared, found or not.
 * @param tokens token by principal
 */
export const principalsOf = (tokens: ReadonlyMap<string, string>): PrincipalOf => {
  const known = [...tokens].map(([principal, token]) => ({ principal, digest: digest(token) }));
  return (authorization) => {
    const given = digest(BEARER.exec(authorization ?? '')?.[1] ?? '');
    let found: string | undefined;
    for (const { principal, digest: expected } of known) {
      if (timingSafeEqual(given, expected)) found = principal;
    }
    return found;
  };
};
