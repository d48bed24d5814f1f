import { createHash, timingSafeEqual } from 'node:crypto';

/** Says whose bearer token an Authorization header carries; undefined when it is nobody's. */
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

const ENTRY = /^([\w.@-]{1,64}):([\x21-\x2b\x2d-\x7e]{16,512})$/;

/**
 * Reads `principal:token,principal:token`.
 * @returns the tokens, or what is wrong, without showing a token
 */
export const parseTokens = (text: string): { tokens: Map<string, string> } | { fault: string } => {
  const tokens = new Map<string, string>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, principal, token] = ENTRY.exec(entry.trim()) ?? [];
    if (!principal || !token) {
      return {
        fault: `entry ${index + 1} must be principal:token, the token of 16 to 512 printable characters`,
      };
    }
    if (tokens.has(principal)) return { fault: `principal ${principal} is given twice` };
    tokens.set(principal, token);
  }
  if (new Set(tokens.values()).size < tokens.size) return { fault: 'two principals have the same token' };
  return { tokens };
};
