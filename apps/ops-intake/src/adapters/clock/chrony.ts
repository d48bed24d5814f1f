import type { ClockReading } from '../../application/clock-state.ts';
import { ask, type Place } from './datagrams.ts';

/** Version 6 of the command protocol: chrony 2.2 (2015) and later. */
const VERSION = 6;
const REQUEST = 1;
const ANSWER = 2;
const TRACKING = 33;
const TRACKING_ANSWER = 5;
/** A request is as long as its answer, or chronyd drops it: it is not to be used for amplification. */
const LENGTH = 104;
const UNSYNCHRONISED = 3;

/** A number of 32 bits: 7 of a signed exponent, 25 of a signed coefficient. */
const float = (bytes: Buffer, at: number): number => {
  const bits = bytes.readInt32BE(at);
  return ((bits << 7) >> 7) * 2 ** ((bits >> 25) - 25);
};

/**
 * The answer of chronyd to `tracking`. What the clock can be off at most is what chrony's manual gives as the bound:
 * the correction that is left, the dispersion, and half of the delay to the root.
 * @throws Error when chronyd rejects the request
 */
const readTracking = (answer: Buffer, sequence: number): ClockReading | undefined => {
  if (answer.length < 28 || answer[1] !== ANSWER || answer.readUInt32BE(16) !== sequence) return undefined;
  const status = answer.readUInt16BE(8);
  if (answer[0] !== VERSION || status !== 0 || answer.readUInt16BE(6) !== TRACKING_ANSWER) {
    throw new Error(`chronyd answers with version ${answer[0]} and status ${status}`);
  }
  if (answer.length < LENGTH) throw new Error(`chronyd answers with ${answer.length} bytes`);
  const correction = float(answer, 68);
  const rootDelay = float(answer, 92);
  const rootDispersion = float(answer, 96);
  return {
    isSynchronised: answer.readUInt16BE(54) !== UNSYNCHRONISED,
    aheadSeconds: -correction,
    divergenceSeconds: Math.abs(correction) + rootDispersion + rootDelay / 2,
  };
};

let sequences = 0;

/** Asks chronyd what it knows of the clock that it disciplines, as `chronyc tracking` does; it permits that to every user. */
export const askChrony = (place: Place, waitMs: number): Promise<ClockReading> => {
  const sequence = (sequences = (sequences + 1) >>> 0);
  const request = Buffer.alloc(LENGTH);
  request[0] = VERSION;
  request[1] = REQUEST;
  request.writeUInt16BE(TRACKING, 4);
  request.writeUInt32BE(sequence, 8);
  return ask(
    place,
    () => request,
    (answer) => readTracking(answer, sequence),
    waitMs,
  );
};
