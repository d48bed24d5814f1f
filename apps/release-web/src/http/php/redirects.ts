import type { Service } from '@workspace/service-kit';
import { redirection } from '../rendering/cacheable.ts';
import { redirect } from '../rendering/redirect.ts';

/** @param base what targets begin with: the public URL or nothing, never `Host` */
export interface RedirectTarget {
  readonly base: string;
  readonly path: string;
}

/**
 * An old path that moved for good; its query is kept.
 * @param operationId in the API description, which leaves out what has none
 */
export const movedPermanently = (
  app: Service,
  from: string,
  { base, path }: RedirectTarget,
  operationId?: string,
): void => {
  const schema = {
    ...(operationId === undefined ? { hide: true } : { operationId }),
    tags: ['contract'],
    summary: `The old address of ${path}`,
    response: redirection(301, `To ${path}, with the same query.`),
  };
  app.get(from, { schema }, (request, reply) => {
    const start = request.url.indexOf('?');
    return redirect(reply, `${base}${path}${start < 0 ? '' : request.url.slice(start)}`, 301);
  });
};
