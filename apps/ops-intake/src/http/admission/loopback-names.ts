import type { IncomingMessage } from 'node:http';
import type { Service } from '@workspace/service-kit';
import { declareProblems, ProblemError } from '@workspace/service-kit/problems';
import { isLoopback } from '../../domain/loopback.ts';
import { loopbackProblems, problems } from '../../problems.ts';

/** A host with or without a port, as in `Host`; an IPv6 address is in brackets. */
const AUTHORITY = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/;
/** What comes before it in an origin and in the absolute form of a request target. */
const SCHEME = /^https?:\/\//i;

const isLoopbackAuthority = (authority: string): boolean => {
  const [, ipv6, name] = AUTHORITY.exec(authority) ?? [];
  return isLoopback(ipv6 ?? name ?? '');
};

/** The authority of a URL, up to its path; undefined when it is no HTTP URL. */
const authorityOf = (url: string): string | undefined =>
  SCHEME.test(url) ? url.replace(SCHEME, '').replace(/[/?#].*$/s, '') : undefined;

const isForLoopback = ({ headers: { host }, url = '' }: IncomingMessage): boolean => {
  const authority = authorityOf(url);
  // Without any host it is HTTP/1.0, which no browser sends.
  return [host, authority].every((one) => one === undefined || isLoopbackAuthority(one));
};

/**
 * Accepts only requests to this machine by name or address, and from its own pages. A site that someone on this machine visits
 * can change the address of its name to 127.0.0.1 (DNS rebinding): to the browser, the service is then part of that site, whose
 * scripts may read and submit. The host that the browser sends is still the site's.
 *
 * The host of another site gets 421, because this service is not its origin (RFC 9110, 7.4 and 15.5.20); the page of another
 * site gets 403, because the request is for this service, which does not allow it (15.5.4).
 */
export const acceptOnlyLoopbackNames = (app: Service): void => {
  declareProblems(app, ...loopbackProblems);
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers;
    if (!isForLoopback(request.raw)) {
      done(new ProblemError(problems['misdirected-request']));
    } else if (origin !== undefined && !isLoopbackAuthority(authorityOf(origin) ?? '')) {
      done(new ProblemError(problems['cross-origin-request']));
    } else {
      done();
    }
  });
};
