import type { Service } from '@workspace/service-kit';
import { aliased } from '../rendering/aliased.ts';
import { redirection } from '../rendering/cacheable.ts';
import { redirect } from '../rendering/send.ts';

/** Where a redirect leads to. */
export interface RedirectTarget {
  /** what targets begin with: the public URL or nothing, never `Host` */
  readonly base: string;
  readonly path: string;
  /** id of a part of the page there, which no query changes: none is kept */
  readonly part?: string;
}

/**
 * Old paths that moved for good.
 * @param paths the documented one first
 */
export const movedPermanently = (
  app: Service,
  paths: readonly string[],
  { base, path, part }: RedirectTarget,
  operationId: string,
): void => {
  const route = {
    operationId,
    tags: [part ? 'php.net' : 'contract'],
    summary: part ? `On ${path}, a part of the page` : `The old address of ${path}`,
    response: redirection(301, part ? `To ${path}#${part}.` : `To ${path}, with the same query.`),
  };
  for (const [from, schema] of aliased(paths, route)) {
    app.get(from, { schema }, (request, reply) => {
      const start = request.url.indexOf('?');
      const query = start < 0 ? '' : request.url.slice(start);
      return redirect(reply, `${base}${path}${part ? `#${part}` : query}`, 301);
    });
  }
};
