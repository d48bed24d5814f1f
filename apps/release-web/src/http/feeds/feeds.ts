import { Type } from '@sinclair/typebox';
import { asciiJson, type Service } from '@workspace/service-kit';
import { commonProblems } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { JsonFeed } from './json-feed-schema.ts';
import { aliased } from '../rendering/aliased.ts';
import { BranchParameter, knownBranch } from '../rendering/known-branch.ts';
import type { Answers } from '../rendering/answers.ts';
import { type BranchFile, type Catalogue } from '@workspace/release-catalogue';
import { type Announcement, branchAnnouncements } from '../../domain/announcement.ts';
import type { Snapshot } from '../../application/snapshot.ts';
import { checkedJson } from '../rendering/checked-json.ts';
import { Representation } from '../rendering/representation.ts';
import type { Site } from '../site.ts';
import { atomFeed as atomText } from './atom.ts';
import { branchFrame, type FeedFormat, type FeedFrame, siteFrame } from './feed-frame.ts';
import { jsonFeed as jsonFeedOf } from './json-feed.ts';

const AtomFeed = Type.String({
  examples: ['<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">…</feed>'],
});

/** The release feed as Atom. @param paths the documented one first */
export const atomFeed = (app: Service, paths: readonly string[], answers: Answers): void => {
  const feed = answers.prepare((snapshot) => siteFeed(snapshot, 'atom', answers.site));
  const route = {
    operationId: 'atomFeed',
    tags: ['contract'],
    summary: 'The newest release of each supported branch, changes and news, as Atom',
    response: cacheable('The feed (RFC 4287).', { 'application/atom+xml': AtomFeed }),
  };
  for (const [path, schema] of aliased(paths, route)) {
    app.get(path, { schema }, (request, reply) => answers.respond(request, reply, feed));
  }
};

/** The same entries as JSON Feed. */
export const jsonFeed = (app: Service, path: string, answers: Answers): void => {
  const feed = answers.prepare((snapshot) => siteFeed(snapshot, 'json', answers.site));
  const schema = {
    operationId: 'jsonFeed',
    tags: ['api'],
    summary: 'The entries of the Atom feed as JSON Feed 1.1',
    response: cacheable('The feed.', { 'application/feed+json': JsonFeed }),
  };
  app.get(path, { schema }, (request, reply) => answers.respond(request, reply, feed));
};

/** The feeds of a branch: `feed.atom` and `feed.json` below its page. */
export const branchFeeds = (
  app: Service,
  paths: Readonly<Record<'atom' | 'json', `${string}:branch${string}`>>,
  answers: Answers,
): void => {
  const feed = answers.prepare(
    ({ catalogue }, cache) =>
      (branch: BranchFile, format: FeedFormat) =>
        cache.get(`feed ${branch.branch} ${format}`, () => {
          const entries = branchAnnouncements(catalogue, branch);
          const frame = branchFrame(catalogue, branch, entries, format, answers.site);
          return feedRepresentation(catalogue, frame, entries, format, answers.site.baseUrl);
        }),
  );
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
    answers.respond(request, reply, (current, { params }) =>
      feed(current)(knownBranch(current.snapshot, params.branch), 'atom'),
    ),
  );
  const json = {
    ...route,
    operationId: 'branchJsonFeed',
    summary: 'The newest releases of a branch as JSON Feed 1.1',
    response: cacheable('The feed.', { 'application/feed+json': JsonFeed }),
  };
  app.get(paths.json, { schema: json }, (request, reply) =>
    answers.respond(request, reply, (current, { params }) =>
      feed(current)(knownBranch(current.snapshot, params.branch), 'json'),
    ),
  );
};

const siteFeed = (snapshot: Snapshot, format: FeedFormat, site: Site): Representation => {
  const { catalogue, announcements } = snapshot;
  const frame = siteFrame(snapshot, format, site);
  return feedRepresentation(catalogue, frame, announcements, format, site.baseUrl).popular();
};

const feedRepresentation = (
  catalogue: Catalogue,
  frame: FeedFrame,
  entries: readonly Announcement[],
  format: FeedFormat,
  baseUrl: string,
): Representation =>
  format === 'atom'
    ? new Representation('application/atom+xml', atomText(catalogue, frame, entries, baseUrl))
    : new Representation(
        'application/feed+json',
        asciiJson(checkedJson(JsonFeed, jsonFeedOf(catalogue, frame, entries, baseUrl))),
      );
