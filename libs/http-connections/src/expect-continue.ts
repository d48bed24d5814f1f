import type { ServerResponse } from 'node:http';
import type { Drain } from './drain.ts';
import type { IncomingRequest } from './incoming-request.ts';

/**
 * Sends `100 Continue` when the body of a request is read for the first time. An answer before that ends the connection: its
 * client may send the body or not (RFC 9110, 10.1.1).
 */
export const continueWhenRead =
  (drain: Drain) =>
  (request: IncomingRequest, response: ServerResponse): void => {
    response.setHeader('connection', 'close');
    request.onFirstRead(() => {
      if (response.headersSent) return;
      if (!drain.draining) response.removeHeader('connection');
      response.writeContinue();
    });
  };
