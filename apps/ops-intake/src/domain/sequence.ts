import { hash } from 'node:crypto';
import { uuidOf } from './submission-id.ts';

/** As many as a structured-field Integer (RFC 9651) may have; every such number is exact as a double. */
const DIGITS = 15;
/** What a `Sequence` header may be, as a regular expression: one spelling for each number. */
export const SEQUENCE_PATTERN = `^(?:0|[1-9]\\d{0,${DIGITS - 1}})$`;

/** As CloudEvents wants a sequence: in the order of its characters, too. */
export const sequenceText = (sequence: number): string => String(sequence).padStart(DIGITS, '0');

/** The series of a Partition-Key, which every principal has for itself. UUIDv8: no submission has such an id. */
export const seriesIdOf = (partitionKey: string, principal?: string): string => {
  const name = JSON.stringify([principal ?? null, partitionKey]);
  return uuidOf(hash('sha256', name, 'hex'), 8);
};
