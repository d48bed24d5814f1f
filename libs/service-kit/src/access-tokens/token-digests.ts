import { createHash } from 'node:crypto';
import { parseRateLimit, type RateLimit, rateLimitViolations } from '../rate-limit/rate-limit-setting.ts';

/**
 * SHA-256 digests of tokens, each with its principal, who has two while a new one takes the place of an old one. Tokens are
 * random, so that a digest cannot be reversed.
 */
export type TokenDigests = Iterable<readonly [principal: string, digest: Buffer]>;

/** The owner of an API key, the limit of that key, and one of the options that the service has for keys. */
export interface ApiKey<Option extends string = string> {
  readonly name: string;
  /** of this key; `unlimited`, or undefined for the limit that everyone has */
  readonly limit: RateLimit | 'unlimited' | undefined;
  /** left out when its line has none */
  readonly option?: Option;
}

/** API keys by the SHA-256 digest of the key, in hexadecimal. */
export type ApiKeys<Option extends string = string> = ReadonlyMap<string, ApiKey<Option>>;

const NAME = String.raw`[\w.@-]{1,64}`;
const ENTRY = new RegExp(String.raw`^(${NAME}):([\x21-\x2b\x2d-\x7e]{16,512})$`);
const LINE = new RegExp(String.raw`^(${NAME}):([0-9A-Fa-f]{64})((?:\s+\S+)*)$`);

/** The digest of a token, as it is compared and kept. */
export const digestOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();

interface Entry {
  readonly principal: string;
  readonly digest: Buffer;
}
type Violation = { violation: string };

const collect = (entries: readonly Entry[]): { digests: TokenDigests } | Violation => {
  const distinct = new Set(entries.map(({ digest }) => digest.toString('hex')));
  return distinct.size < entries.length
    ? { violation: 'the same token is given twice' }
    : { digests: entries.map(({ principal, digest }) => [principal, digest]) };
};

/**
 * Reads `principal:token,principal:token`.
 * @returns the digests of the tokens, or what is wrong, without showing a token
 */
export const parseTokens = (text: string): { digests: TokenDigests } | Violation => {
  const entries: Entry[] = [];
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

interface Line extends Entry {
  /** what follows the digest */
  readonly words: readonly string[];
}

/** The lines of a file of digests; empty lines and those that begin with `#` do not count. */
const linesOf = (
  text: string,
  expected: string,
  isSound: (words: readonly string[]) => boolean,
): Line[] | Violation => {
  const lines: Line[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, principal, hex, more = ''] = LINE.exec(line.trim()) ?? [];
    const words = more.split(/\s+/).filter(Boolean);
    if (!principal || !hex || !isSound(words)) return { violation: `line ${index + 1} must be ${expected}` };
    lines.push({ principal, digest: Buffer.from(hex, 'hex'), words });
  }
  return lines;
};

/**
 * Reads a file of tokens: a line `principal:<SHA-256 of the token in hex>` for each; empty lines and those that begin with
 * `#` do not count.
 * @returns the digests, or what is wrong, without showing one
 */
export const parseTokenFile = (text: string): { digests: TokenDigests } | Violation => {
  const lines = linesOf(text, 'principal:digest, the SHA-256 digest in 64 hex digits', isEmpty);
  return 'violation' in lines ? lines : collect(lines);
};

const isEmpty = (words: readonly string[]): boolean => words.length === 0;

/**
 * Reads a file of API keys: lines as in a file of tokens, each with a limit of its own if it has one, and then one of the
 * options if it has one: `name:<SHA-256 of the key in hex> 5000/hour`, or `0` for no limit.
 * @returns the keys, or what is wrong, without showing a digest
 */
export const parseApiKeyFile = <Option extends string = never>(
  text: string,
  options: readonly Option[] = [],
): { keys: ApiKeys<Option> } | Violation => {
  const read = (words: readonly string[]) => {
    const option = options.find((one) => one === words.at(-1));
    const [limit, ...more] = option === undefined ? words : words.slice(0, -1);
    return { limit: limit === undefined ? {} : { RATE_LIMIT: limit }, option, more };
  };
  const expected =
    'name:digest, the SHA-256 digest in 64 hex digits, and perhaps a limit such as 5000/hour' +
    (options.length === 0 ? '' : `, and perhaps one of ${options.join(', ')}`);
  const lines = linesOf(text, expected, (words) => {
    const { limit, more } = read(words);
    return more.length === 0 && rateLimitViolations(limit).length === 0;
  });
  if ('violation' in lines) return lines;
  const wordsOf = new Map(lines.map(({ principal, words }) => [principal, words.join(' ')]));
  const other = lines.find(({ principal, words }) => wordsOf.get(principal) !== words.join(' '));
  if (other) return { violation: `the keys of ${other.principal} differ in more than their digest` };
  const collected = collect(lines);
  if ('violation' in collected) return collected;
  const keys = lines.map(({ principal: name, digest, words }): [string, ApiKey<Option>] => {
    const { limit, option } = read(words);
    return [
      digest.toString('hex'),
      {
        name,
        limit: limit.RATE_LIMIT === '0' ? 'unlimited' : parseRateLimit(limit),
        ...(option !== undefined && { option }),
      },
    ];
  });
  return { keys: new Map(keys) };
};
