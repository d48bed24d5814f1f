import { Type } from '@sinclair/typebox';

/** A TCP port a service may listen on; 0 asks the system for a free one. */
export const Port = Type.Integer({ minimum: 0, maximum: 65_535 });

/** A calendar date, `2026-11-21`. */
export const CalendarDate = Type.String({ format: 'date' });

/** An instant, RFC 3339. */
export const DateTime = Type.String({ format: 'date-time' });

/** A SHA-256 digest in lowercase hex. */
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
