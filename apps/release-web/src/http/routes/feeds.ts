import { Type } from '@sinclair/typebox';
import { commonProblems, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { cacheable } from '../cacheable.ts';
import { JsonFeed } from '../schemas/json-feed.ts';
import { aliased } from './aliased.ts';
import { BranchParameter, knownBranch } from './known-branch.ts';
import { responder, type ResponseSource } from './respond.ts';

const AtomFeed = Type.String({
  examples: ['<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">…</feed>'],
});

/** The release feed as Atom. @param paths the documented one first */
export const atomFeed = (app: Service, paths: readonly string[], source: ResponseSource): void => {
  const respond = responder(source);
  const route = {
    operationId: 'atomFeed',
    tags: ['contract'],
    summary: 'The newest release of each supported branch, then news, as Atom',
    response: cacheable('The feed (RFC 4287).', { 'application/atom+xml': AtomFeed }),
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

/** The feeds of a branch: `feed.atom` and `feed.json` below its page. */
export const branchFeeds = (
  app: Service,
  paths: Readonly<Record<'atom' | 'json', `${string}:branch${string}`>>,
  source: ResponseSource,
): void => {
  const respond = responder(source);
  const route = {
    tags: ['api'],
    params: Type.Object({ branch: BranchParameter }),
    problems: [problems['unknown-branch'], commonProblems['not-found']],
  };
  const atom = {
    ...route,
    operationId: 'branchAtomFeed',
    summary: 'The newest releases of a branch as Atom',
    response: cacheable('The feed (RFC 4287).', { 'application/atom+xml': AtomFeed }),
  };
  app.get(paths.atom, { schema: atom }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { params }) =>
      responses.branchFeed(knownBranch(snapshot, params.branch), 'atom'),
    ),
  );
  const json = {
    ...route,
    operationId: 'branchJsonFeed',
    summary: 'The newest releases of a branch as JSON Feed 1.1',
    response: cacheable('The feed.', { 'application/feed+json': JsonFeed }),
  };
  app.get(paths.json, { schema: json }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { params }) =>
      responses.branchFeed(knownBranch(snapshot, params.branch), 'json'),
    ),
  );
};
