import type { Service } from '@workspace/service-kit';
import { redirect } from '../http/redirect.ts';

/** Old addresses, the misspelt one among them, and where they live now. */
const REDIRECTS: Readonly<Record<string, string>> = {
  '/relases.atom': '/releases/feed.php',
  '/releases.atom': '/releases/feed.php',
  '/release-candidates.php': '/pre-release-builds.php',
  '/release-candidates': '/pre-release-builds.php',
};

/** Permanent redirects that keep the query; the target is made of the public address, never of `Host`. */
export const redirectRoutes = (app: Service, baseUrl: string): void => {
  for (const [from, to] of Object.entries(REDIRECTS)) {
    app.get(from, (request, reply) => {
      const query = request.url.indexOf('?');
      return redirect(reply, `${baseUrl}${to}${query < 0 ? '' : request.url.slice(query)}`, 301);
    });
  }
};
