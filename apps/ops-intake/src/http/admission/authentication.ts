import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { ProblemError, type ProblemType } from '@workspace/service-kit/problems';
import type { Identity } from '../../application/identity.ts';
import { problems } from '../../problems.ts';

/** One way to find out who sends a request. */
export interface Authenticator {
  /**
   * @returns undefined when the request has nothing that it knows: the next one is asked; a promise only where there is
   *   something to wait for
   * @throws ProblemError, or rejects with it
   */
  identify(request: FastifyRequest): Identity | Promise<Identity> | undefined;
  /** whether it can identify clients now; always when left out */
  readonly isUsable?: () => boolean;
  /** what requests may meet beside 401 */
  readonly problems: readonly ProblemType[];
  /** how a client authenticates, as OpenAPI writes it: by name */
  readonly schemes: SecuritySchemes;
}

/** OpenAPI's descriptions of ways to authenticate, by name. */
export type SecuritySchemes = Readonly<Record<string, object>>;

/** Finds out who sends a request. */
export interface Authentication {
  /**
   * Called for each request before anything else, and again during a stream: rejects it with 401, 403 or 503, or remembers
   * who sends it. It calls `done` at once unless there is something to wait for.
   */
  readonly hook: (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;
  /** who sends the request, after the hook; undefined before it */
  identityOf(request: IncomingMessage): Identity | undefined;
  /** whether any client can be identified now */
  isUsable(): boolean;
  /** what requests may meet beside 401 */
  readonly problems: readonly ProblemType[];
  /** each way to authenticate */
  readonly schemes: SecuritySchemes;
}

/** Whose a request is, on the request itself: as an entry of a WeakMap, it took a submission 1 µs more (24 instead of 23). */
const IDENTITY = Symbol('identity');
type Identified = IncomingMessage & { [IDENTITY]?: Identity };

const challenge = (error?: string): { headers: Record<string, string> } => ({
  headers: { 'www-authenticate': error === undefined ? 'Bearer' : `Bearer error="${error}"` },
});

/** 401 for credentials that are not valid. */
export const invalidToken = (): ProblemError =>
  new ProblemError(problems.unauthorized, challenge('invalid_token'));

/** @param authenticators the first that knows the request decides @returns undefined without any: everyone may submit */
export const createAuthentication = (
  authenticators: readonly Authenticator[],
): Authentication | undefined => {
  if (authenticators.length === 0) return undefined;
  /** @throws ProblemError */
  const identify = (request: FastifyRequest): Identity | Promise<Identity> => {
    for (const authenticator of authenticators) {
      const identity = authenticator.identify(request);
      if (identity) return identity;
    }
    if (request.headers.authorization !== undefined) throw invalidToken();
    throw new ProblemError(problems.unauthorized, challenge());
  };

  return {
    identityOf: (request: Identified) => request[IDENTITY],
    isUsable: () => authenticators.some(({ isUsable }) => isUsable?.() ?? true),
    problems: authenticators.flatMap((authenticator) => authenticator.problems),
    schemes: Object.assign({}, ...authenticators.map(({ schemes }) => schemes)) as SecuritySchemes,
    hook: (request, _reply, done) => {
      const remember = (identity: Identity): void => {
        const raw: Identified = request.raw;
        const before = raw[IDENTITY];
        // The token was given to another principal in the middle of a stream.
        if (before && before.principal !== identity.principal) return done(invalidToken());
        raw[IDENTITY] = identity;
        done();
      };
      try {
        const identity = identify(request);
        if (!(identity instanceof Promise)) return remember(identity);
        identity.then(remember, (error: unknown) => done(error as Error));
      } catch (error) {
        done(error as Error);
      }
    },
  };
};
