import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { bearerToken, principalOfToken } from '../src/access-tokens/bearer-token.ts';
import { parseApiKeyFile, parseTokenFile, parseTokens } from '../src/access-tokens/token-digests.ts';

const DIGESTS = 'libs/service-kit/src/access-tokens/token-digests.ts';
const BEARER = 'libs/service-kit/src/access-tokens/bearer-token.ts';
const SECRET = /[\x21-\x2b\x2d-\x7e]{16,}/g;
const DIGEST = createHash('sha256').update('0123456789abcdef').digest('hex');

/** Secrets that the text has behind a colon, and a message repeats. */
const shown = (text: string, violation: string): string[] =>
  (text.replace(/[^,\r\n]*?:/g, '\n').match(SECRET) ?? []).filter((secret) => violation.includes(secret));

export const tokens: FuzzTarget = {
  name: 'tokens',
  property:
    'lists and files of tokens are read or rejected without showing one, and each token that is read has its principal',
  seeds: [
    'desk:0123456789abcdef,risk:fedcba9876543210',
    `# desks\ndesk:${DIGEST}\n\nrisk:${DIGEST.replace('a', 'b')} 5000/hour\r\n`,
    `desk:${DIGEST} 0`,
    'Bearer 0123456789abcdef',
  ],
  dictionary: [DIGEST, ',desk:', '\n', '\r\n', '#', '@', '0/hour', '100/minute', 'bearer ', 'a'.repeat(64)],
  branchesPerByte: 100,
  planted: [
    { file: DIGESTS, from: 'distinct.size < entries.length', to: 'false' },
    { file: DIGESTS, from: '`entry ${index + 1} must', to: '`entry ${entry} must' },
    { file: BEARER, from: '[\\x21-\\x7e]+)$/i', to: '[\\x20-\\x7e]+)$/i' },
  ],
  check: (input) => {
    const text = input.toString('latin1');
    const list = parseTokens(text);
    if ('violation' in list) assert.deepEqual(shown(text, list.violation), []);
    else {
      const entries = text.split(',').map((entry) => entry.trim());
      assert.equal([...list.digests].length, entries.length);
      for (const entry of entries) {
        const colon = entry.indexOf(':');
        assert.equal(principalOfToken(entry.slice(colon + 1), list.digests), entry.slice(0, colon));
      }
    }
    const file = parseTokenFile(text);
    const keyFile = parseApiKeyFile(text);
    if ('violation' in file) assert.deepEqual(shown(text, file.violation), []);
    else {
      const lines = [...file.digests].map(([principal, digest]) => `${principal}:${digest.toString('hex')}`);
      assert.deepEqual(parseTokenFile(lines.join('\n')), file);
      // A file without limits is one of API keys too, by digest instead of by name.
      assert('keys' in keyFile && keyFile.keys.size === [...file.digests].length);
      for (const [principal, digest] of file.digests) {
        assert.deepEqual(keyFile.keys.get(digest.toString('hex')), { name: principal, limit: undefined });
      }
    }
    if ('violation' in keyFile) assert.deepEqual(shown(text, keyFile.violation), []);
    const token = bearerToken(text);
    assert.equal(token, bearerToken(`Bearer ${token ?? ''}`));
    if (token !== undefined) assert.match(token, /^[!-~]+$/);
  },
};
