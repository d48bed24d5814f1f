import type { FetchImplementation, JWTPayload } from 'jose';
import { httpText } from '@workspace/http-client';
import type { Logger } from '@workspace/logging';
import {
  type AccessTokenVerifier,
  type Identity,
  InsufficientScope,
  InvalidToken,
  IssuerUnavailable,
} from '../../application/access-token.ts';

export interface JwtVerifierOptions {
  issuer: string;
  audience: string;
  /** where the issuer publishes its keys */
  jwksUrl: string;
  /** a scope that tokens must have; undefined when any token will do */
  scope?: string | undefined;
  /** the claim that names the principal */
  principalClaim: string;
  clockToleranceMs: number;
  /** milliseconds between two reads of the keys, so that withdrawn ones go */
  refreshMs: number;
  logger: Logger;
}

/** Signatures of key pairs only: with a shared secret, everyone who can check a token can also make one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const TIMEOUT_MS = 5_000;
/** Issuers publish a few keys of 0.5 kB, some with certificates. */
const MAX_BYTES = 1024 * 1024;
/** A key that is not known is asked for at most this often. */
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
  const { issuer, audience, principalClaim, scope, logger } = options;
  const keys = createRemoteJWKSet(new URL(options.jwksUrl), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: Infinity,
    [customFetch]: readKeys,
  });
  let isUnreachable = false;
  const unreachable = (reason: string): void => {
    if (!isUnreachable) logger.warn({ issuer, reason }, 'keys of the token issuer cannot be read');
    isUnreachable = true;
  };
  const refresh = (): void => {
    keys.reload().then(
      () => {
        if (isUnreachable) logger.info({ issuer }, 'keys of the token issuer read again');
        isUnreachable = false;
      },
      (error: Error) => unreachable(error.message),
    );
  };
  refresh();
  const timer = setInterval(refresh, options.refreshMs).unref();

  const claimsOf = async (token: string): Promise<JWTPayload> => {
    try {
      const verified = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: options.clockToleranceMs / 1_000,
        requiredClaims: ['exp'],
      });
      return verified.payload;
    } catch (error) {
      const { message } = error as Error;
      if (tokenErrors.some((type) => error instanceof type))
        throw new InvalidToken(message, { cause: error });
      unreachable(message);
      throw new IssuerUnavailable(message, { cause: error });
    }
  };

  return {
    verify: async (token): Promise<Identity> => {
      const claims = await claimsOf(token);
      const principal = claims[principalClaim];
      if (typeof principal !== 'string' || !PRINCIPAL.test(principal)) {
        throw new InvalidToken(`the claim ${principalClaim} is not a name`);
      }
      if (scope !== undefined && !scopesOf(claims).includes(scope)) throw new InsufficientScope(scope);
      return { principal, type: 'unknown' };
    },
    close: () => clearInterval(timer),
  };
};

/** Reads the keys for jose, which takes the status and this method from an answer. */
const readKeys: FetchImplementation = async (url) => {
  const options = { headers: { accept: 'application/json' }, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS };
  const { status, text } = await httpText(url, options);
  return { status, json: () => Promise.resolve(JSON.parse(text) as unknown) } as Awaited<
    ReturnType<FetchImplementation>
  >;
};

/** `scope` as RFC 9068 has it, a text; `scp`, a text or a list, as some issuers write it. */
const scopesOf = ({ scope, scp }: JWTPayload): unknown[] =>
  [scope, scp].flatMap((value) =>
    typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [],
  );
