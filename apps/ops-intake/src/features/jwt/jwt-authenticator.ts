import type { FastifyRequest } from 'fastify';
import { bearerToken } from '@workspace/service-kit/access-tokens';
import { ProblemError } from '@workspace/service-kit/problems';
import { type Authenticator, invalidToken } from '../../http/admission/authentication.ts';
import { isUnpublished } from '../../http/submit/submission-headers.ts';
import {
  type AccessTokenVerifier,
  InsufficientScope,
  InvalidToken,
  IssuerUnavailable,
} from './access-token.ts';
import { jwtProblems } from './problems.ts';

const issuerUnavailable = ({ raw }: FastifyRequest): ProblemError =>
  new ProblemError(jwtProblems['token-issuer-unavailable'], {
    members: { outcome: isUnpublished(raw) ? 'not-published' : 'unknown' },
    headers: { 'retry-after': '5' },
  });

const problemOf = (error: unknown, request: FastifyRequest): unknown => {
  if (error instanceof InvalidToken) return invalidToken();
  if (error instanceof IssuerUnavailable) return issuerUnavailable(request);
  if (!(error instanceof InsufficientScope)) return error;
  const { scope } = error;
  return new ProblemError(jwtProblems.forbidden, {
    detail: `The token must have the scope ${scope}.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
};

/** Takes every bearer token that no authenticator before it knows for a JSON Web Token. */
export const jwtAuthenticator = (
  verifier: Pick<AccessTokenVerifier, 'verify' | 'hasKeys'>,
  needsScope: boolean,
): Authenticator => ({
  identify: (request) => {
    const token = bearerToken(request.headers.authorization);
    return token === undefined
      ? undefined
      : verifier.verify(token).catch((error: unknown) => {
          throw problemOf(error, request);
        });
  },
  isUsable: () => verifier.hasKeys(),
  problems: [...(needsScope ? [jwtProblems.forbidden] : []), jwtProblems['token-issuer-unavailable']],
  schemes: {
    jwt: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'a JSON Web Token of the issuer',
    },
  },
});

/** What /health warns of while the keys of the issuer cannot be read. */
export const jwtWarnings = (verifier: AccessTokenVerifier) => (): Record<string, string | undefined> => {
  const reason = verifier.unreadable();
  const effect = verifier.hasKeys() ? 'tokens are checked by earlier keys' : 'every JSON Web Token gets 503';
  return {
    'token-issuer:keys': reason && `keys of the token issuer cannot be read, ${effect}: ${reason}`,
  };
};
