import { type TSchema, Type } from '@sinclair/typebox';
import type { AuditFact } from '../../domain/audit-trail.ts';

/** What each fact of the audit trail adds, or says more exactly. */
export const AUDIT_HEADERS: Readonly<Record<AuditFact, Record<string, TSchema>>> = {
  time: {
    ce_time: Type.String({
      format: 'date-time',
      description: 'when the last byte of the request arrived, in microseconds',
    }),
  },
  instance: { ce_instance: Type.String({ description: 'the instance of the service that took it' }) },
  'client-address': {
    ce_clientaddress: Type.Optional(
      Type.String({ description: 'IP address of the client; missing when a proxy does not tell it' }),
    ),
  },
  digest: {
    ce_sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the bytes that the client sent, uncompressed',
    }),
  },
  'request-id': { ce_requestid: Type.String({ description: 'x-request-id of the request' }) },
};
