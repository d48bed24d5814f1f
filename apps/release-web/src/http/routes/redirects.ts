import type { Service } from '@workspace/service-kit';
import { redirection } from '../cacheable.ts';
import { redirect } from '../redirect.ts';

/** Old addresses, the misspelt one among them, and where they live now; each with its operation id. */
const REDIRECTS = {
  '/relases.atom': ['/releases/feed.php', 'misspeltAtom'],
  '/releases.atom': ['/releases/feed.php', 'atom'],
  '/release-candidates.php': ['/pre-release-builds.php', 'releaseCandidates'],
  '/release-candidates': ['/pre-release-builds.php', 'releaseCandidatesAlias'],
} as const;

/** Where somebody who types nothing but the host wants to be; not for ever, as a mirror may grow a front page. */
const FRONT_PAGE = '/releases/';

/**
 * Permanent redirects that keep the query.
 * @param base what targets begin with: the public URL or nothing, never `Host`
 */
export const redirectRoutes = (app: Service, base: string): void => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'frontPage',
        tags: ['php.net'],
        summary: 'The page of releases',
        response: redirection(302, `To ${FRONT_PAGE}.`),
      },
    },
    (_request, reply) => redirect(reply, base + FRONT_PAGE, 302),
  );
  for (const [from, [to, operationId]] of Object.entries(REDIRECTS)) {
    const schema = {
      operationId,
      tags: ['contract'],
      summary: `The old address of ${to}`,
      response: redirection(301, `To ${to}, with the same query.`),
    };
    app.get(from, { schema }, (request, reply) => {
      const start = request.url.indexOf('?');
      return redirect(reply, `${base}${to}${start < 0 ? '' : request.url.slice(start)}`, 301);
    });
  }
};
