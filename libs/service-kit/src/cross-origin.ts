import { methodsOf } from './problems/allowed-methods.ts';
import type { Service } from './service.ts';

/** Of answers that are no secret: pages of other sites may read them and their headers. */
export const OPEN_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
} as const;

/** Browsers would otherwise send no header beyond those of CORS's safelist; wildcards leave out Authorization. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, If-Modified-Since, If-None-Match, X-Request-Id';

/**
 * Answers CORS preflight requests for all paths (https://fetch.spec.whatwg.org/#cors-preflight-fetch). `Allow` has the methods of the path.
 * @param methods that pages may use; without OPTIONS, an OPTIONS request that is no preflight gets 405 or 404
 */
export const preflightRoute = (app: Service, methods: string): void => {
  const headers = {
    ...OPEN_HEADERS,
    'access-control-allow-methods': methods,
    'access-control-max-age': '86400',
  };
  const isMethod = methods.includes('OPTIONS');
  app.options('/*', { schema: { hide: true } }, ({ headers: sent, url }, reply) => {
    const wanted = sent['access-control-request-headers'];
    if (!isMethod && !sent['access-control-request-method'] && sent.origin === undefined)
      return reply.callNotFound();
    const own = methodsOf(app, url);
    const allow = own.length === 0 ? methods : [...own, ...(isMethod ? ['OPTIONS'] : [])].join(', ');
    return reply
      .code(204)
      .headers({ ...headers, allow, 'access-control-allow-headers': wanted ?? ALLOWED_HEADERS })
      .send();
  });
};
