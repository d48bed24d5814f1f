import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const WELL_FORMED = /^[\w.:=+/-]{1,128}$/;

/**
 * The last digits of the counter, written once. V8 allocates the text of a number among its old objects, where that of
 * every request would stay until the next full garbage collection.
 */
const lastDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

/**
 * Makes ids of requests: random bits identify the service, a counter its requests, at a tenth of the cost of a UUID each.
 * @returns what gives a request the caller's `x-request-id` when it is well formed (so that it cannot forge log lines), else a new
 *   one, unique for good
 */
export const createRequestId = (): ((request: Pick<IncomingMessage, 'headers'>) => string) => {
  const instance = randomBytes(10).toString('hex');
  let count = 0;
  let prefix = '';
  const newId = (): string => {
    const last = count % lastDigits.length;
    if (last === 0) prefix = `${instance}-${count / lastDigits.length}`;
    count += 1;
    return prefix + lastDigits[last];
  };
  return ({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && WELL_FORMED.test(given) ? given : newId();
  };
};
