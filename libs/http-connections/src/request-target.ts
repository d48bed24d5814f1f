import type { IncomingMessage } from 'node:http';

/**
 * Replaces a request target in absolute form by its path and query, and `Host` by its authority (RFC 9112, 3.2.2), so that
 * the same resource has one name. Other targets stay as they are.
 */
export const toOriginForm = (request: IncomingMessage): void => {
  const [, authority, path = ''] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(request.url!) ?? [];
  if (authority === undefined) return;
  request.headers.host = authority.slice(authority.lastIndexOf('@') + 1);
  request.url = path.startsWith('/') ? path : `/${path}`;
};
