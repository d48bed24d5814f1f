import { Type } from '@sinclair/typebox';
import { onlyWith } from '@workspace/schemas';
import { httpUrl } from '@workspace/service-process';
import { option } from '../../extension-points.ts';
import { optionalText } from '../../settings.ts';
import { jwtAuthenticator, jwtWarnings } from './jwt-authenticator.ts';
import { createJwtVerifier } from './jwt-verifier.ts';
import { jwtProblems } from './problems.ts';

const NEEDED = ['AUTH_JWT_ISSUER', 'AUTH_JWT_AUDIENCE', 'AUTH_JWT_JWKS_URL'] as const;

/** Clients authenticate by JSON Web Tokens of an issuer. */
export const jwt = option({
  name: 'jwt',
  settings: {
    AUTH_JWT_ISSUER: optionalText('issuer (`iss`) of the JSON Web Tokens that are accepted; none when unset'),
    AUTH_JWT_AUDIENCE: optionalText('audience (`aud`) that such a token must name'),
    AUTH_JWT_JWKS_URL: Type.Optional(httpUrl('address of the issuer’s keys (JWKS)')),
    ...onlyWith('AUTH_JWT_ISSUER', {
      AUTH_JWT_SCOPE: Type.Optional(
        Type.String({
          pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,255}$',
          description: 'scope that such a token must have; any token will do when unset',
        }),
      ),
      AUTH_JWT_TYPES: Type.String({
        default: 'at+jwt,JWT',
        pattern: '^ *[\\w.+/-]+ *(?:, *[\\w.+/-]+ *)*$',
        description:
          'types (header `typ`) of tokens that are accepted, comma-separated; one without counts as `JWT`',
      }),
      AUTH_JWT_PRINCIPAL_CLAIM: Type.String({
        default: 'sub',
        minLength: 1,
        description: 'claim that names the principal',
      }),
    }),
  },
  credentials: ['AUTH_JWT_ISSUER'],
  problems: jwtProblems,
  violations: (config) => {
    const unset = NEEDED.filter((name) => !config[name]);
    if (unset.length === 0 || unset.length === NEEDED.length) return [];
    return [`${unset.join(', ')} must be set, too: JSON Web Tokens need ${NEEDED.join(', ')}`];
  },
  open: (config, { logger, clock }) => {
    const { AUTH_JWT_ISSUER: issuer, AUTH_JWT_AUDIENCE: audience, AUTH_JWT_JWKS_URL: jwksUrl } = config;
    if (issuer === undefined || audience === undefined || jwksUrl === undefined) return undefined;
    const verifier = createJwtVerifier({
      issuer,
      audience,
      jwksUrl,
      scope: config.AUTH_JWT_SCOPE,
      types: config.AUTH_JWT_TYPES.split(',').map((type) => type.trim()),
      principalClaim: config.AUTH_JWT_PRINCIPAL_CLAIM,
      clock,
      logger,
    });
    return verifier.then((opened) => ({
      authenticator: jwtAuthenticator(opened, config.AUTH_JWT_SCOPE !== undefined),
      warnings: jwtWarnings(opened),
      close: () => opened.close(),
    }));
  },
});
