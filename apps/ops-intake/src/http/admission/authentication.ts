import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { bearerToken, principalOfToken, ProblemError, type TokenDigests } from '@workspace/service-kit';
import {
  type AccessTokenVerifier,
  type Identity,
  InsufficientScope,
  InvalidToken,
  IssuerUnavailable,
} from '../../application/access-token.ts';
import { problems } from '../../problems.ts';
import type { PrincipalOfCertificate } from './client-certificate.ts';
import { isUnpublished } from '../submit/submission-headers.ts';

export interface AuthenticationMethods {
  /** digests of the tokens that are valid now */
  tokens?: (() => TokenDigests) | undefined;
  jwt?: AccessTokenVerifier | undefined;
  certificate?: PrincipalOfCertificate | undefined;
}

/** Finds out who sends a request. */
export interface Authentication {
  /**
   * Called for each request before anything else, and again during a stream: rejects it with 401, 403 or 503, or remembers
   * who sends it. It calls `done` at once unless a JSON Web Token is to be checked.
   */
  readonly hook: (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;
  /** who sends the request, after the hook; undefined before it */
  identityOf(request: IncomingMessage): Identity | undefined;
}

/** Whose a request is, on the request itself: as an entry of a WeakMap, it took a submission 1 µs more (24 instead of 23). */
const IDENTITY = Symbol('identity');
type Identified = IncomingMessage & { [IDENTITY]?: Identity };

const challenge = (error?: string): { headers: Record<string, string> } => ({
  headers: { 'www-authenticate': error === undefined ? 'Bearer' : `Bearer error="${error}"` },
});

const issuerUnavailable = ({ raw }: FastifyRequest): ProblemError =>
  new ProblemError(problems['token-issuer-unavailable'], {
    members: { outcome: isUnpublished(raw) ? 'not-published' : 'unknown' },
    headers: { 'retry-after': '5' },
  });

const problemOf = (error: unknown, request: FastifyRequest): unknown => {
  if (error instanceof InvalidToken)
    return new ProblemError(problems.unauthorized, challenge('invalid_token'));
  if (error instanceof IssuerUnavailable) return issuerUnavailable(request);
  if (!(error instanceof InsufficientScope)) return error;
  const { scope } = error;
  return new ProblemError(problems.forbidden, {
    detail: `The token must have the scope ${scope}.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
};

/** @param methods how clients may authenticate; the first that applies decides: certificate, token, JSON Web Token */
export const createAuthentication = ({ tokens, jwt, certificate }: AuthenticationMethods): Authentication => {
  /** @throws ProblemError 401 */
  const identify = (request: FastifyRequest): Identity | Promise<Identity> => {
    const name = certificate?.(request.raw);
    if (name !== undefined) return { principal: name, type: 'service_account' };
    const { authorization } = request.headers;
    const token = bearerToken(authorization);
    const principal = token !== undefined && tokens ? principalOfToken(token, tokens()) : undefined;
    if (principal !== undefined) return { principal, type: 'api_key' };
    if (token !== undefined && jwt) return jwt.verify(token);
    throw new ProblemError(
      problems.unauthorized,
      challenge(authorization === undefined ? undefined : 'invalid_token'),
    );
  };

  return {
    identityOf: (request: Identified) => request[IDENTITY],
    hook: (request, _reply, done) => {
      const remember = (identity: Identity): void => {
        const raw: Identified = request.raw;
        const before = raw[IDENTITY];
        // The token was given to another principal in the middle of a stream.
        if (before && before.principal !== identity.principal)
          return done(new ProblemError(problems.unauthorized, challenge('invalid_token')));
        raw[IDENTITY] = identity;
        done();
      };
      try {
        const identity = identify(request);
        if (!(identity instanceof Promise)) return remember(identity);
        identity.then(remember, (error: unknown) => done(problemOf(error, request) as Error));
      } catch (error) {
        done(error as Error);
      }
    },
  };
};
