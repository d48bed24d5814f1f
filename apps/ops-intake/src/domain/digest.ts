import { hash } from 'node:crypto';

/** SHA-256 in hex, as `sha256sum` prints it. */
export const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');
