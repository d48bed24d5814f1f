import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { ClientAddressOf } from '@workspace/service-kit';
import type { AuditTrail } from '../../application/submission-record.ts';
import { type AuditFact, digestOf } from '../../domain/audit-trail.ts';

export interface AuditTrailOptions {
  facts: ReadonlySet<AuditFact>;
  /** name of this instance */
  instance: string;
  clientAddressOf: ClientAddressOf;
  /** microseconds since 1970 */
  microseconds: () => number;
}

/** What records say of the requests that they came with. */
export interface AuditTrails {
  /** Notes when the last byte arrives; to be called before anything waits. */
  watch(request: IncomingMessage): void;
  /** @param bytes of the body, uncompressed; undefined: nothing is said of them */
  of(request: FastifyRequest, bytes: Buffer | undefined): AuditTrail;
}

export const createAuditTrails = (options: AuditTrailOptions): AuditTrails => {
  const { facts, instance, clientAddressOf, microseconds } = options;
  const arrivals = new WeakMap<IncomingMessage, number>();
  return {
    watch: (request) => {
      if (!facts.has('time')) return;
      // The `end` event comes only when the body is read, which may have to wait for a token issuer or a rate limit.
      const { push } = request;
      request.push = (...part: Parameters<IncomingMessage['push']>): boolean => {
        if (part[0] === null) arrivals.set(request, microseconds());
        return push.apply(request, part);
      };
    },
    of: ({ raw, id }, bytes) => ({
      ...(facts.has('time') && { receivedAt: arrivals.get(raw) ?? microseconds() }),
      ...(facts.has('instance') && { instance }),
      ...(facts.has('client-address') && { clientAddress: clientAddressOf(raw)?.text }),
      ...(bytes && facts.has('digest') && { digest: digestOf(bytes) }),
      ...(facts.has('request-id') && { requestId: id }),
    }),
  };
};
