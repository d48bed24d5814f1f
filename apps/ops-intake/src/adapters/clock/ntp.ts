import { randomBytes } from 'node:crypto';
import type { ClockReading } from '../../application/clock-state.ts';
import { ask, type Place } from './datagrams.ts';

const LENGTH = 48;
/** Version 4, mode 3: a client (RFC 5905). */
const CLIENT = 0x23;
const SERVER_MODE = 4;
const UNSYNCHRONISED = 3;
const LAST_STRATUM = 15;
/** Seconds from 1900 to 1970. */
const UNIX_EPOCH = 2_208_988_800;

/** Seconds of a 64-bit timestamp minus those of a moment, in microseconds since 1970. The nearest era is meant. */
const sinceMoment = (bytes: Buffer, at: number, moment: number): number => {
  const whole = Math.floor(moment / 1_000_000);
  const seconds = (bytes.readUInt32BE(at) - whole - UNIX_EPOCH) | 0;
  return seconds + bytes.readUInt32BE(at + 4) / 2 ** 32 - (moment - whole * 1_000_000) / 1_000_000;
};

const shortTime = (bytes: Buffer, at: number): number => bytes.readUInt32BE(at) / 2 ** 16;

/**
 * What a server's answer says of this clock.
 * @param sent when the request was sent, and `received` when its answer came, in microseconds since 1970
 * @throws Error when the server sends clients away
 */
const readAnswer = (
  answer: Buffer,
  { nonce, sent, received }: { nonce: Buffer; sent: number; received: number },
): ClockReading | undefined => {
  if (answer.length < LENGTH || (answer[0]! & 7) !== SERVER_MODE) return undefined;
  // The server repeats the client's timestamp. Random bits take its place: others cannot guess them.
  if (!answer.subarray(24, 32).equals(nonce)) return undefined;
  const stratum = answer[1]!;
  if (stratum === 0) throw new Error(`the server answers with ${answer.toString('latin1', 12, 16)}`);
  const took = (received - sent) / 1_000_000;
  const arrived = sinceMoment(answer, 32, sent);
  const left = sinceMoment(answer, 40, sent);
  const aheadSeconds = -(arrived + left - took) / 2;
  const delay = Math.max(0, took - (left - arrived));
  return {
    isSynchronised: answer[0]! >> 6 !== UNSYNCHRONISED && stratum <= LAST_STRATUM,
    aheadSeconds,
    divergenceSeconds: Math.abs(aheadSeconds) + delay / 2 + shortTime(answer, 4) / 2 + shortTime(answer, 8),
  };
};

/** A busy process adds to the delay. A reading that is not good enough is repeated. */
const MOST_EXCHANGES = 4;

/**
 * Compares this clock with that of an NTP server.
 * @param now microseconds since 1970
 * @param enough the divergence in seconds that needs no better reading
 */
export const askNtp = async (
  place: Place,
  { waitMs, now, enough }: { waitMs: number; now: () => number; enough: number },
): Promise<ClockReading> => {
  let best: ClockReading | undefined;
  for (let exchange = 0; exchange < MOST_EXCHANGES; exchange++) {
    let nonce: Buffer;
    let sent: number;
    const request = (): Buffer => {
      const bytes = Buffer.alloc(LENGTH);
      bytes[0] = CLIENT;
      nonce = randomBytes(8);
      nonce.copy(bytes, 40);
      sent = now();
      return bytes;
    };
    const read = (answer: Buffer) => readAnswer(answer, { nonce, sent, received: now() });
    const reading = await ask(place, request, read, waitMs);
    if (!best || reading.divergenceSeconds < best.divergenceSeconds) best = reading;
    if (!reading.isSynchronised || best.divergenceSeconds <= enough) break;
  }
  return best!;
};
