import { randomFillSync } from 'node:crypto';
import type { TraceContext } from './submission-record.ts';

/** version 00 exactly; later versions may add fields behind a dash, of which the first three are still ours to pass on. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const LONGEST_STATE = 512;

const ID_BYTES = 24;
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/** Random bytes for a trace id and a span id, in hex; drawn by the hundred, as asking the system costs microseconds. */
export const randomTraceHex = (): string => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('hex', used - ID_BYTES, used);
};

const isValid = (traceparent: string): boolean => {
  const match = TRACEPARENT.exec(traceparent);
  if (!match) return false;
  const [, version, traceId, parentId, more] = match;
  if (version === 'ff' || (version === '00' && more !== undefined)) return false;
  return !/^0+$/.test(traceId as string) && !/^0+$/.test(parentId as string);
};

/**
 * The trace context to send on (W3C Trace Context): the caller's when it is valid, unchanged, as this service records
 * no spans of its own; else a new one, not sampled.
 *
 * @param random 24 random bytes in lowercase hex, for the new one
 */
export const traceContext = (
  given: { traceparent?: string | undefined; tracestate?: string | undefined },
  random: () => string,
): TraceContext => {
  const { traceparent, tracestate } = given;
  if (traceparent === undefined || !isValid(traceparent)) {
    const hex = random();
    return { traceparent: `00-${hex.slice(0, 32)}-${hex.slice(32, 48)}-00` };
  }
  if (tracestate === undefined || tracestate.length > LONGEST_STATE) return { traceparent };
  return { traceparent, tracestate };
};
