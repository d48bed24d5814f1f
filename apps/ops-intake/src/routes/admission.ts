import type { FastifyRequest } from 'fastify';
import { type Clock, Refusal } from '@workspace/service-kit';
import type { PrincipalOf } from '../domain/principals.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { refusals } from '../errors.ts';

export interface AdmissionNeeds {
  /** undefined: nobody has to say who they are */
  principalOf?: PrincipalOf | undefined;
  /** undefined: no limit */
  rateLimit?: RateLimit | undefined;
  clock: Clock;
}

/** Who is asking: refused with 401 when tokens are in use and theirs is none. */
export const principalIn = (request: FastifyRequest, { principalOf }: AdmissionNeeds): string | undefined => {
  if (!principalOf) return undefined;
  const { authorization } = request.headers;
  const principal = principalOf(authorization);
  if (principal !== undefined) return principal;
  const challenge = authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
  throw new Refusal(refusals.unauthorized, { headers: { 'www-authenticate': challenge } });
};

/** Decides before the body is read whether a request may come in: who asks, and not too often. */
export const admit = (request: FastifyRequest, needs: AdmissionNeeds): void => {
  const principal = principalIn(request, needs);
  const waitMs = needs.rateLimit?.(principal ?? request.ip, needs.clock()) ?? 0;
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1_000);
  throw new Refusal(refusals['rate-limited'], { headers: { 'retry-after': String(seconds) } });
};
