import assert from 'node:assert/strict';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import type { FuzzTarget } from '@workspace/testing/fuzz';
import { traceContext } from '../src/http/submit/trace-context.ts';

const TRACE_CONTEXT = 'apps/ops-intake/src/http/submit/trace-context.ts';
const fill = (bytes: Uint8Array): void => void bytes.fill(0xab);
const NEW = `00-${'ab'.repeat(16)}-${'ab'.repeat(8)}-00`;
const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

export const traces: FuzzTarget = {
  name: 'trace-context',
  property:
    'a traceparent is followed exactly if OpenTelemetry follows it, and what is sent on is valid and bounded',
  seeds: [
    VALID,
    `${VALID}\nrojo=00f067aa0ba902b7,congo=t61rcWkgMzE`,
    `cc${VALID.slice(2)}-more\nvendor@tenant=1 , b=2`,
    `${VALID}\n${[...'abcdef'].map((key) => `${key}=${'v'.repeat(100)}`).join()}`,
  ],
  dictionary: [
    'ff-',
    '00-',
    '01-',
    '0'.repeat(32),
    '0'.repeat(16),
    `a=${'v'.repeat(127)}`,
    ',',
    '@',
    '=',
    '-00',
    '-03',
  ],
  mostBytes: 1_024,
  branchesPerByte: 100,
  planted: [
    { file: TRACE_CONTEXT, from: "version === 'ff' || ", to: '' },
    { file: TRACE_CONTEXT, from: '/^0+$/.test(parentId', to: '/^1+$/.test(parentId' },
    { file: TRACE_CONTEXT, from: '& SAMPLED', to: '& 0x03' },
    { file: TRACE_CONTEXT, from: 'keys.size < members.length', to: 'false' },
    { file: TRACE_CONTEXT, from: ' members.pop()', to: ' break' },
  ],
  check: (input) => {
    const [traceparent = '', tracestate] = input.toString('latin1').split('\n');
    // Node takes the white space around a header away, and lets no control character in; OpenTelemetry allows some.
    if (/^\s|\s$|[\0-\x08\x0b-\x1f\x7f]/.test(traceparent)) return;
    const sent = traceContext({ traceparent, tracestate }, fill);
    const reference = parseTraceParent(traceparent);
    if (!reference) {
      assert.deepEqual(sent, { traceparent: NEW });
      return;
    }
    const { traceId, spanId, traceFlags } = reference;
    assert.equal(sent.traceparent, `00-${traceId}-${spanId}-0${traceFlags & 1}`);
    assert.deepEqual(traceContext({ ...sent }, fill), sent);
    if (sent.tracestate === undefined) return;
    assert(sent.tracestate.length <= 512);
    const members = sent.tracestate.split(',').map((member) => member.split('='));
    const [given, parsed] = [new TraceState(tracestate), new TraceState(sent.tracestate)];
    for (const [key = '', value] of members) {
      assert.equal(parsed.get(key), value);
      assert.equal(given.get(key) ?? value, value);
    }
  },
};
