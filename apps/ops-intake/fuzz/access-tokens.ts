import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { ProblemError } from '@workspace/service-kit/problems';
import { captureLogger } from '@workspace/testing';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { createJwtVerifier } from '../src/features/jwt/jwt-verifier.ts';

const VERIFIER = 'apps/ops-intake/src/features/jwt/jwt-verifier.ts';
const ISSUER = 'https://issuer.example';
const JWKS_URL = `${ISSUER}/jwks`;
const AUDIENCE = 'operations';
const SCOPE = 'submit';
const FAR = 4_102_444_800;

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }] };

const verifier = createJwtVerifier({
  issuer: ISSUER,
  audience: AUDIENCE,
  jwksUrl: JWKS_URL,
  scope: SCOPE,
  principalClaim: 'sub',
  types: ['at+jwt', 'JWT'],
  clock: () => new Date(),
  readText: () => Promise.resolve({ status: 200, text: JSON.stringify(jwks) }),
  logger: captureLogger().logger,
});

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');
const parsed = (text: string): Record<string, unknown> => {
  try {
    const value = JSON.parse(Buffer.from(text, 'latin1').toString()) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

const HEADER = '{"alg":"ES256","kid":"one","typ":"JWT"}';
const CLAIMS = `{"iss":"${ISSUER}","aud":"${AUDIENCE}","exp":${FAR},"sub":"desk-7","scope":"read ${SCOPE}"}`;

/** Whether a signed token may be accepted: what every accepted one has, and this service's own conditions. */
const mayBeAccepted = (header: Record<string, unknown>, claims: Record<string, unknown>): boolean => {
  const { iss, aud, exp, nbf, sub, scope, scp } = claims;
  const scopes = [scope, scp].flatMap((one) => (typeof one === 'string' ? one.split(' ') : one));
  return (
    header['alg'] === 'ES256' &&
    iss === ISSUER &&
    [aud].flat().includes(AUDIENCE) &&
    typeof exp === 'number' &&
    exp * 1_000 > Date.now() &&
    (nbf === undefined || (typeof nbf === 'number' && nbf * 1_000 <= Date.now())) &&
    typeof sub === 'string' &&
    /^[!-~]{1,255}$/.test(sub) &&
    scopes.includes(SCOPE)
  );
};

/** An input is a header, claims, and on a third line a signature, if it is not the right one. */
export const accessTokens: FuzzTarget = {
  name: 'access-tokens',
  property:
    'only tokens that are signed and meet every condition are accepted; all others are invalid, without any other error',
  seeds: [
    `${HEADER}\n${CLAIMS}`,
    `${HEADER}\n${CLAIMS.replace(`"${AUDIENCE}"`, `["${AUDIENCE}","other"]`).replace('"scope"', '"scp"')}`,
    `${HEADER}\n${CLAIMS.replace('}', ',"nbf":1,"iat":1}')}`,
    `${HEADER}\n${CLAIMS}\nAAAA`,
  ],
  dictionary: [
    ...[
      '"none"',
      '"HS256"',
      '"RS256"',
      '"ES384"',
      '"EdDSA"',
      '"alg":"none",',
      '"crit":["exp"],',
      '"b64":false,',
    ],
    ...[
      '"kid":"two",',
      '"jwk":{},',
      '"exp":1,',
      '"exp":"1",',
      `"nbf":${FAR},`,
      '"scope":"",',
      '"scp":["submit"],',
    ],
    ...['"sub":"",', '"sub":"a b",', '"sub":null,', '"aud":[],', '"iss":null,', '\n', '.', '='],
  ],
  mostBytes: 1_024,
  planted: [
    { file: VERIFIER, from: "requiredClaims: ['exp'],", to: '' },
    { file: VERIFIER, from: 'scope !== undefined && ', to: 'scopesOf(payload).length === 0 && ' },
    { file: VERIFIER, from: '    audience,\n    algorithms', to: '    algorithms' },
    { file: VERIFIER, from: 'errors.JOSENotSupported,', to: '' },
    { file: VERIFIER, from: ' || !PRINCIPAL.test(principal)', to: '' },
  ],
  check: async (input) => {
    const [header = '', claims = '', given] = input.toString('latin1').split('\n');
    const signed = `${base64(header)}.${base64(claims)}`;
    const options = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = given ?? sign('sha256', Buffer.from(signed), options).toString('base64url');
    try {
      const { principal } = await (await verifier).verify(`${signed}.${signature}`, 'unknown');
      assert.equal(given, undefined, 'accepted with another signature');
      assert(mayBeAccepted(parsed(header), parsed(claims)), 'accepted although it must not be');
      assert.equal(principal, parsed(claims)['sub']);
    } catch (error) {
      if (!(error instanceof ProblemError) || ![401, 403].includes(error.type.status)) throw error;
      const { crit, kid, b64 } = parsed(header);
      const isPlain =
        given === undefined &&
        crit === undefined &&
        b64 === undefined &&
        [undefined, 'one'].includes(kid as string);
      assert(
        !(isPlain && `${header}\n${claims}` === `${HEADER}\n${CLAIMS}`),
        `a valid token is rejected: ${error.message}`,
      );
    }
  },
};
