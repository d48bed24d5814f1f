import { createHash } from 'node:crypto';

/** SHA-256 digest of a token, by principal. Tokens are random, so that a digest cannot be reversed. */
export type TokenDigests = ReadonlyMap<string, Buffer>;

const NAME = String.raw`[\w.@-]{1,64}`;
const ENTRY = new RegExp(String.raw`^(${NAME}):([\x21-\x2b\x2d-\x7e]{16,512})$`);
const LINE = new RegExp(`^(${NAME}):([0-9a-f]{64})$`);

/** The digest of a token, as it is compared and kept. */
export const digestOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();

type Parsed = { digests: TokenDigests } | { violation: string };

const collect = (entries: Iterable<{ principal: string; digest: Buffer }>): Parsed => {
  const digests = new Map<string, Buffer>();
  for (const { principal, digest } of entries) {
    if (digests.has(principal)) return { violation: `principal ${principal} is given twice` };
    digests.set(principal, digest);
  }
  const distinct = new Set([...digests.values()].map((digest) => digest.toString('hex')));
  return distinct.size < digests.size ? { violation: 'two principals have the same token' } : { digests };
};

/**
 * Reads `principal:token,principal:token`.
 * @returns the digests of the tokens, or what is wrong, without showing a token
 */
export const parseTokens = (text: string): Parsed => {
  const entries = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [, principal, token] = ENTRY.exec(entry.trim()) ?? [];
    if (!principal || !token) {
      return {
        violation: `entry ${index + 1} must be principal:token, the token of 16 to 512 printable characters`,
      };
    }
    entries.push({ principal, digest: digestOfToken(token) });
  }
  return collect(entries);
};

/**
 * Reads a file of tokens: a line `principal:<SHA-256 of the token in hex>` for each; empty lines and those that begin with
 * `#` do not count.
 * @returns the digests, or what is wrong, without showing one
 */
export const parseTokenFile = (text: string): Parsed => {
  const entries = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, principal, hex] = LINE.exec(line.trim()) ?? [];
    if (!principal || !hex) {
      return { violation: `line ${index + 1} must be principal:digest, the SHA-256 digest in 64 hex digits` };
    }
    entries.push({ principal, digest: Buffer.from(hex, 'hex') });
  }
  return collect(entries);
};
