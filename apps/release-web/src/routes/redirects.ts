import type { Service } from '@workspace/service-kit';
import { redirect } from '../http/redirect.ts';

/** Old addresses, the misspelt one among them, and where they live now. */
const REDIRECTS: Readonly<Record<string, string>> = {
  '/relases.atom': '/releases/feed.php',
  '/releases.atom': '/releases/feed.php',
  '/release-candidates.php': '/pre-release-builds.php',
  '/release-candidates': '/pre-release-builds.php',
};

/** Where somebody who types nothing but the host wants to be; not for ever, as a mirror may grow a front page. */
const FRONT_PAGE = '/releases/';

/**
 * Permanent redirects that keep the query.
 * @param base what targets begin with: the public URL or nothing, never `Host`
 */
export const redirectRoutes = (app: Service, base: string): void => {
  app.get('/', (_request, reply) => redirect(reply, base + FRONT_PAGE, 302));
  for (const [from, to] of Object.entries(REDIRECTS)) {
    app.get(from, (request, reply) => {
      const query = request.url.indexOf('?');
      return redirect(reply, `${base}${to}${query < 0 ? '' : request.url.slice(query)}`, 301);
    });
  }
};
