import type { FetchImplementation, JWTPayload, JWTVerifyResult } from 'jose';
import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { httpText } from '@workspace/http-client';
import type { Logger } from '@workspace/logging';
import { ProblemError } from '@workspace/service-kit/problems';
import type { Clock } from '@workspace/service-process';
import type { Identity } from '../../application/identity.ts';
import { invalidToken } from '../../http/admission/authentication.ts';
import { jwtProblems } from './problems.ts';

/** Checks the tokens of an issuer. */
export interface AccessTokenVerifier {
  /**
   * @param outcome of the submission, if the issuer is unavailable
   * @throws ProblemError 401, 403 or 503
   */
  verify(token: string, outcome: 'not-published' | 'unknown'): Promise<Identity>;
  /** why the keys of the issuer could not be read last time; undefined when they could */
  unreadable(): string | undefined;
  /** whether any keys were ever read: without them, no token can be checked */
  hasKeys(): boolean;
  close(): void;
}

export interface JwtVerifierOptions {
  issuer: string;
  audience: string;
  /** where the issuer publishes its keys */
  jwksUrl: string;
  /** a scope that tokens must have; undefined when any token will do */
  scope?: string | undefined;
  /** the claim that names the principal */
  principalClaim: string;
  /** media types in the header `typ` that are accepted (RFC 8725, 3.11); a token without `typ` counts as `JWT` */
  types: readonly string[];
  clock: Clock;
  /** reads the keys: by HTTP when left out */
  readText?: (url: string) => Promise<{ status: number; text: string }>;
  logger: Logger;
}

/** How far the clock of the issuer may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** Between two reads of the keys, so that withdrawn ones go. */
const REFRESH_MS = 600_000;

/** Signatures of key pairs only: with a shared secret, everyone who can check a token can also make one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const TIMEOUT_MS = 5_000;
/** Issuers publish a few keys of 0.5 kB, some with certificates. */
const MAX_BYTES = 1024 * 1024;
/** The issuer is asked at most this often, for a key that is not known or after a failure. */
const COOLDOWN_MS = 30_000;
const PRINCIPAL = /^[\x21-\x7e]{1,255}$/;

/**
 * Checks JSON Web Tokens by the keys that their issuer publishes. An unknown key makes it read them again, so that keys
 * can be rotated; while the issuer cannot be reached, the keys read last stay in use.
 */
export const createJwtVerifier = async (options: JwtVerifierOptions): Promise<AccessTokenVerifier> => {
  // Loaded when it is needed: most instances start without it.
  const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import('jose');
  /** jose's errors about a token, as opposed to those about the keys. */
  const tokenErrors = [
    errors.JWTClaimValidationFailed,
    errors.JWTExpired,
    errors.JWTInvalid,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ];
  const { issuer, audience, principalClaim, scope, logger, clock, readText = readByHttp } = options;
  const types = new Set(options.types.map(mediaTypeOf));
  let unreadable: string | undefined;
  let failure: { readonly at: number; readonly error: Error } | undefined;
  /** Reads the keys for jose, which takes the status and this method from an answer. jose itself would try again for each token. */
  const readKeys = async (url: string) => {
    const now = clock().getTime();
    if (failure && Math.abs(now - failure.at) < COOLDOWN_MS) throw failure.error;
    failure = undefined;
    try {
      const { status, text } = await readText(url);
      if (status !== 200) throw new Error(`the answer has status ${status}`);
      const keySet = keySetOf(text);
      if (unreadable !== undefined) logger.info({ issuer }, 'keys of the token issuer read again');
      unreadable = undefined;
      return { status, json: () => Promise.resolve(keySet) } as Awaited<ReturnType<FetchImplementation>>;
    } catch (error) {
      failure = { at: now, error: error as Error };
      throw error;
    }
  };
  const keys = createRemoteJWKSet(new URL(options.jwksUrl), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: Infinity,
    [customFetch]: readKeys,
  });
  const unreachable = (reason: string): void => {
    if (unreadable === undefined) logger.warn({ issuer, reason }, 'keys of the token issuer cannot be read');
    unreadable = reason;
  };
  const refresh = (): void => {
    keys.reload().catch((error: Error) => unreachable(error.message));
  };
  refresh();
  const timer = setInterval(refresh, REFRESH_MS).unref();

  const checks = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    requiredClaims: ['exp'],
  };
  const verify = async (token: string): Promise<JWTVerifyResult> => {
    try {
      return await jwtVerify(token, keys, checks);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // The token does not say which key has signed it, and while keys are rotated there are two.
      for await (const key of error) {
        const verified = await jwtVerify(token, key, checks).catch((failed: unknown) => {
          if (!(failed instanceof errors.JWSSignatureVerificationFailed)) throw failed;
        });
        if (verified) return verified;
      }
      throw error;
    }
  };

  return {
    verify: async (token, outcome): Promise<Identity> => {
      const { payload, protectedHeader } = await verify(token).catch((error: Error) => {
        if (tokenErrors.some((type) => error instanceof type)) throw invalidToken();
        unreachable(error.message);
        throw new ProblemError(jwtProblems['token-issuer-unavailable'], {
          members: { outcome },
          headers: { 'retry-after': '5' },
        });
      });
      if (!isAccessToken(types, String(protectedHeader.typ ?? 'JWT'), payload)) throw invalidToken();
      const principal = payload[principalClaim];
      if (typeof principal !== 'string' || !PRINCIPAL.test(principal)) throw invalidToken();
      if (scope !== undefined && !scopesOf(payload).includes(scope)) {
        throw new ProblemError(jwtProblems.forbidden, {
          detail: `The token must have the scope ${scope}.`,
          headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
        });
      }
      return { principal, type: 'unknown' };
    },
    unreadable: () => unreadable,
    hasKeys: () => keys.jwks() !== undefined,
    close: () => clearInterval(timer),
  };
};

const readByHttp = (url: string) =>
  httpText(url, { headers: { accept: 'application/json' }, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });

/** RFC 7517, 5: members of keys beside their type are for jose. */
const KeySet = Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }), { minItems: 1 }) });

/** @throws when the text is no JWK set, or one without keys: no token could be checked by it, so earlier keys stay in use */
const keySetOf = (text: string): Static<typeof KeySet> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error('the answer is not JSON', { cause: error });
  }
  if (!Check(KeySet, value)) throw new Error('the answer is not a JWK set with at least one key');
  return value;
};

/** RFC 7515, 4.1.9: `application/` may be left out, and case does not matter. */
const mediaTypeOf = (type: string): string => type.toLowerCase().replace(/^application\//, '');

/** Claims that access tokens lack: of ID tokens (OpenID Connect Core, 2 and 3), and of security events and logout tokens (RFC 8417). */
const CLAIMS_OF_OTHERS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

/**
 * Whether a valid token is an access token that its bearer may use (RFC 8725, 3.11 and RFC 9068, 4). Keycloak says in the
 * claim `typ`, and Amazon Cognito in `token_use`, what a token is for.
 */
const isAccessToken = (
  types: ReadonlySet<string>,
  type: string,
  { cnf, typ: keycloak, token_use: cognito, ...claims }: JWTPayload,
): boolean => {
  // With `cnf`, it is bound to a key, whose possession is not checked here.
  if (!types.has(mediaTypeOf(type)) || cnf !== undefined) return false;
  if ((keycloak ?? 'Bearer') !== 'Bearer' || (cognito ?? 'access') !== 'access') return false;
  // Keycloak before version 24 also puts a nonce into access tokens.
  if (keycloak !== undefined || cognito !== undefined) return true;
  return CLAIMS_OF_OTHERS.every((name) => claims[name] === undefined);
};

/** `scope` as RFC 9068 has it, a text; `scp`, a text or a list, as some issuers write it. */
const scopesOf = ({ scope, scp }: JWTPayload): unknown[] =>
  [scope, scp].flatMap((value) =>
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [],
  );
