import { type TSchema, Type } from '@sinclair/typebox';
import { digestOf } from '../../domain/digest.ts';
import { exampleOperation } from '../../domain/operation.ts';
import type { AuditFact } from './facts.ts';

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
      Type.String({ description: 'IP address of the client; missing when a proxy does not forward it' }),
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

/** What a record has for each fact, in the example of AsyncAPI. */
export const AUDIT_EXAMPLES: Readonly<Record<AuditFact, Readonly<Record<string, string>>>> = {
  time: { ce_time: '2026-11-21T12:00:00.000042Z' },
  instance: { ce_instance: 'ops-intake-7c9f' },
  'client-address': { ce_clientaddress: '192.0.2.7' },
  digest: { ce_sha256: digestOf(Buffer.from(`[${exampleOperation()}]`)) },
  'request-id': { ce_requestid: 'c3a1-17' },
};
