import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const WELL_FORMED = /^[\w.:=+/-]{1,128}$/;

/** Identifies this process; a counter identifies its requests, at a tenth of the cost of a UUID each. */
const instance = randomBytes(10).toString('hex');
let count = 0;

/** The caller's `x-request-id` when it is well formed (so that it cannot forge log lines), else a new one, unique for good. */
export const requestId = (request: Pick<IncomingMessage, 'headers'>): string => {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : `${instance}-${count++}`;
};
