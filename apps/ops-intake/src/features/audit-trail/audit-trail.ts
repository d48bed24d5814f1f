import type { IncomingMessage } from 'node:http';
import type { ClientAddressOf } from '@workspace/service-kit/client-address';
import { digestOf } from '../../domain/digest.ts';
import type { RecordHeaders } from '../../http/submit/record-headers.ts';
import { AUDIT_EXAMPLES, AUDIT_HEADERS } from './audit-headers.ts';
import { type AuditFact, microsecondTime } from './facts.ts';

export interface AuditTrailOptions {
  facts: ReadonlySet<AuditFact>;
  /** name of this instance */
  instance: string;
  clientAddressOf: ClientAddressOf;
  /** microseconds since 1970 */
  microseconds: () => number;
}

/** What records say of the requests that they came with. */
export const createAuditTrails = (options: AuditTrailOptions): RecordHeaders => {
  const { facts, instance, clientAddressOf, microseconds } = options;
  const arrivals = new WeakMap<IncomingMessage, number>();
  return {
    headers: Object.assign({}, ...[...facts].map((fact) => AUDIT_HEADERS[fact])) as RecordHeaders['headers'],
    exampleHeaders: Object.assign({}, ...[...facts].map((fact) => AUDIT_EXAMPLES[fact])) as Record<
      string,
      string
    >,
    arrives: (request) => {
      if (!facts.has('time')) return;
      // The `end` event comes only when the body is read, which may have to wait for a token issuer or a rate limit.
      const { push } = request;
      request.push = (...part: Parameters<IncomingMessage['push']>): boolean => {
        if (part[0] === null) arrivals.set(request, microseconds());
        return push.apply(request, part);
      };
    },
    of: ({ raw, id }, bytes) => {
      const address = facts.has('client-address') ? clientAddressOf(raw)?.text : undefined;
      return {
        ...(facts.has('time') && { ce_time: microsecondTime(arrivals.get(raw) ?? microseconds()) }),
        ...(facts.has('instance') && { ce_instance: instance }),
        ...(address !== undefined && { ce_clientaddress: address }),
        ...(bytes && facts.has('digest') && { ce_sha256: digestOf(bytes) }),
        ...(facts.has('request-id') && { ce_requestid: id }),
      };
    },
  };
};
