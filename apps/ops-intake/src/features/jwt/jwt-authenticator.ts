import { bearerToken } from '@workspace/service-kit/access-tokens';
import type { Authenticator } from '../../http/admission/authentication.ts';
import { isUnpublished } from '../../http/submit/submission-headers.ts';
import type { AccessTokenVerifier } from './jwt-verifier.ts';
import { jwtProblems } from './problems.ts';

/** Takes every bearer token that no authenticator before it knows for a JSON Web Token. */
export const jwtAuthenticator = (
  verifier: Pick<AccessTokenVerifier, 'verify' | 'hasKeys'>,
  needsScope: boolean,
): Authenticator => ({
  identify: ({ headers, raw }) => {
    const token = bearerToken(headers.authorization);
    return token === undefined
      ? undefined
      : verifier.verify(token, isUnpublished(raw) ? 'not-published' : 'unknown');
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
