import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { cacheable } from '../cacheable.ts';
import { JsonFeed } from '../schemas/json-feed.ts';
import { aliased } from './aliased.ts';
import { responder, type ResponseSource } from './respond.ts';

/** The release feed as Atom. @param paths the documented one first */
export const atomFeed = (app: Service, paths: readonly string[], source: ResponseSource): void => {
  const respond = responder(source);
  const route = {
    operationId: 'atomFeed',
    tags: ['contract'],
    summary: 'The newest release of each supported branch, then news, as Atom',
    response: cacheable('The feed (RFC 4287).', { 'application/atom+xml': Type.String() }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) =>
      respond(request, reply, ({ responses }) => responses.atomFeed),
    );
  }
};

/** The same entries as JSON Feed. */
export const jsonFeed = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'jsonFeed',
    tags: ['api'],
    summary: 'The entries of the Atom feed as JSON Feed 1.1',
    response: cacheable('The feed.', { 'application/feed+json': JsonFeed }),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }) => responses.jsonFeed),
  );
};
