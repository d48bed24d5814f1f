import type { IncomingMessage } from 'node:http';
import type { FillRandomly } from '../../domain/randomness.ts';
import type { TraceContext } from '../../application/submission-record.ts';

/** Version, trace id, parent id, flags; later versions may add fields behind a dash (W3C Trace Context, 3.2). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s;
/** The one flag that version 00 defines. */
const SAMPLED = 0x01;

const TRACE_ID_BYTES = 16;
const PARENT_ID_BYTES = 8;

/** A traceparent with a new trace id and a new parent id, not sampled. */
const newTraceparent = (fillRandomly: FillRandomly): string => {
  const ids = Buffer.allocUnsafe(TRACE_ID_BYTES + PARENT_ID_BYTES);
  fillRandomly(ids, 0);
  return `00-${ids.toString('hex', 0, TRACE_ID_BYTES)}-${ids.toString('hex', TRACE_ID_BYTES)}-00`;
};

/**
 * A caller's traceparent as version 00, always 55 characters: fields and flags that only a later version knows are not
 * passed on (3.2.4). Undefined when it is invalid and a new trace has to start.
 */
const asVersion00 = (traceparent: string): string | undefined => {
  const [, version, traceId, parentId, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId as string) || /^0+$/.test(parentId as string)) return undefined;
  const sampled = parseInt(flags as string, 16) & SAMPLED;
  return `00-${traceId}-${parentId}-0${sampled}`;
};

/** A list member: key, simple or `tenant@system`, and value (3.3.1.3). */
const MEMBER =
  /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MOST_MEMBERS = 32;
const MOST_STATE_CHARACTERS = 512;
/** Members longer than this are the first to go when the whole is too long. */
const LONG_MEMBER = 128;

/** A caller's tracestate within its limits, so that a record's headers stay small; undefined when it is invalid or empty. */
const boundedState = (tracestate: string): string | undefined => {
  let members = tracestate
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  const keys = new Set(members.map((member) => member.split('=', 1)[0]));
  if (members.length === 0 || members.length > MOST_MEMBERS || keys.size < members.length) return undefined;
  if (!members.every((member) => MEMBER.test(member))) return undefined;
  if (members.join().length > MOST_STATE_CHARACTERS) {
    members = members.filter((member) => member.length <= LONG_MEMBER);
  }
  while (members.join().length > MOST_STATE_CHARACTERS) members.pop();
  return members.join() || undefined;
};

/**
 * The trace context to send on (W3C Trace Context): the caller's where it is valid; else a new one, not sampled.
 * An invalid traceparent takes its tracestate with it. While tracing is on, the producer span's context takes its place.
 */
export const traceContext = (
  headers: IncomingMessage['headers'],
  fillRandomly: FillRandomly,
): TraceContext => {
  // Node joins a header that was sent several times to one text.
  const { traceparent: parent, tracestate: state } = headers as Readonly<Record<string, string | undefined>>;
  const traceparent = parent === undefined ? undefined : asVersion00(parent);
  if (traceparent === undefined) return { traceparent: newTraceparent(fillRandomly) };
  const tracestate = state === undefined ? undefined : boundedState(state);
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
};
