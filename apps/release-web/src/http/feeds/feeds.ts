import { Type } from '@sinclair/typebox';
import { asciiJson } from '@workspace/service-kit';
import { commonProblems } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';
import { cacheable } from '../rendering/cacheable.ts';
import { JsonFeed, jsonFeed as jsonFeedOf } from './json-feed.ts';
import { BranchParameter, knownBranch } from '../rendering/known-branch.ts';
import type { Answers } from '../rendering/answers.ts';
import type { Catalogue } from '@workspace/release-catalogue';
import { type Announcement, branchAnnouncements } from '../../domain/announcement.ts';
import { checkedJson } from '../rendering/checked-json.ts';
import { Representation } from '../rendering/representation.ts';
import { atomFeed as atomText } from './atom.ts';
import { branchFrame, type FeedFormat, type FeedFrame, siteFrame } from './feed-frame.ts';

const ATOM = cacheable('The feed (RFC 4287).', {
  'application/atom+xml': Type.String({
    examples: ['<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">…</feed>'],
  }),
});
const JSON_FEED = cacheable('The feed.', { 'application/feed+json': JsonFeed });

/** The feed of all releases. @param paths the documented one first */
export const siteFeed = (answers: Answers, paths: readonly string[], format: FeedFormat): void =>
  answers.route(
    paths,
    format === 'atom'
      ? {
          operationId: 'atomFeed',
          tags: ['contract'],
          summary: 'The newest release of each supported branch, changes and news, as Atom',
          response: ATOM,
        }
      : {
          operationId: 'jsonFeed',
          tags: ['api'],
          summary: 'The entries of the Atom feed as JSON Feed 1.1',
          response: JSON_FEED,
        },
    (snapshot) => {
      const { catalogue, announcements } = snapshot;
      const frame = siteFrame(snapshot, format, answers.site);
      return feedRepresentation(catalogue, frame, announcements, format, answers.site.baseUrl).popular();
    },
  );

/** A feed of a branch, below its page. */
export const branchFeed = (answers: Answers, path: `${string}:branch${string}`, format: FeedFormat): void => {
  const isAtom = format === 'atom';
  answers.route(
    path,
    {
      tags: ['api'],
      params: Type.Object({ branch: BranchParameter }),
      problems: [problems['unknown-branch'], commonProblems['not-found']],
      operationId: isAtom ? 'branchAtomFeed' : 'branchJsonFeed',
      summary: `The newest releases of a branch as ${isAtom ? 'Atom' : 'JSON Feed 1.1'}`,
      response: isAtom ? ATOM : JSON_FEED,
    },
    (snapshot, cache) =>
      ({ params }) => {
        const { catalogue } = snapshot;
        const branch = knownBranch(snapshot, params.branch);
        return cache.get(`feed ${branch.branch} ${format}`, () => {
          const entries = branchAnnouncements(catalogue, branch);
          const frame = branchFrame(catalogue, branch, entries, format, answers.site);
          return feedRepresentation(catalogue, frame, entries, format, answers.site.baseUrl);
        });
      },
  );
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
