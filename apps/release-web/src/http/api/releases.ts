import { Type } from '@sinclair/typebox';
import { type BranchFile, latestRelease, RecordedVersion } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { ProblemError, type ProblemType } from '@workspace/service-kit/problems';
import {
  CURSOR_PATTERN,
  filterReleases,
  type ListedRelease,
  listReleases,
  pageOf,
  type ReleaseFilter,
} from '../../domain/release-list.ts';
import { problems } from '../../problems.ts';
import type { Answers, Prepare } from '../rendering/answers.ts';
import { json } from '../rendering/cacheable.ts';
import { checkedJson } from '../rendering/checked-json.ts';
import { BranchParameter, knownBranchOfQuery, OptionalBranch } from '../rendering/known-branch.ts';
import { Representation } from '../rendering/representation.ts';
import { answerWithOne, envelope, One, Page } from './envelope.ts';
import { ApiRelease, releaseView } from './release.ts';

const tags = ['api'];
const OneRelease = One(ApiRelease);
const ReleasePage = Page(ApiRelease);

const ListQuery = Type.Object({
  branch: Type.Optional(BranchParameter),
  since: Type.Optional(
    Type.String({ format: 'date', description: 'released on this day or later', examples: ['2026-08-13'] }),
  ),
  security: Type.Optional(
    Type.Boolean({ description: 'only those that fix security issues, or only the others' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  cursor: Type.Optional(
    Type.String({
      pattern: CURSOR_PATTERN,
      description: 'next_cursor of the previous page, with the same filters',
      examples: ['2026-07-30_8.4.24'],
    }),
  ),
});

export const apiReleases = (app: Service, path: string, answers: Answers): void => {
  const list = answers.prepare(releaseList(answers.site.baseUrl));
  const schema = {
    operationId: 'releases',
    tags,
    summary: 'Releases, newest first, in pages',
    querystring: ListQuery,
    problems: [problems['unknown-branch'], problems['unknown-cursor']],
    response: json(ReleasePage),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, { query }) => {
      const { limit, branch, since, security, cursor } = query;
      knownBranchOfQuery(current.snapshot, query);
      return (
        list(current)({
          limit,
          ...(branch !== undefined && { branch }),
          ...(since !== undefined && { since }),
          ...(security !== undefined && { security }),
          ...(cursor !== undefined && { cursor }),
        }) ?? missing(problems['unknown-cursor'], 'No page of this list has this cursor.')
      );
    }),
  );
};

export const apiLatestRelease = (app: Service, path: string, answers: Answers): void => {
  const answer = answers.prepare((snapshot, cache) => {
    const newest = snapshot.catalogue.branches.findLast(latestRelease);
    const answerOf = oneRelease(answers.site.baseUrl)(snapshot, cache);
    return (branch: BranchFile | undefined = newest) => {
      const latest = branch && latestRelease(branch);
      return latest && answerOf(latest.version);
    };
  });
  const schema = {
    operationId: 'latestRelease',
    tags,
    summary: 'The newest release, of all or of one branch',
    querystring: OptionalBranch,
    problems: [problems['unknown-branch'], problems['unknown-release']],
    response: json(OneRelease),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(
      request,
      reply,
      (current, { query }) =>
        answer(current)(knownBranchOfQuery(current.snapshot, query)) ??
        missing(problems['unknown-release'], 'Nothing is released yet.'),
    ),
  );
};

export const apiRelease = (app: Service, path: `${string}:version`, answers: Answers): void => {
  const answer = answers.prepare(oneRelease(answers.site.baseUrl));
  const schema = {
    operationId: 'release',
    tags,
    summary: 'One release',
    params: Type.Object({ version: RecordedVersion }),
    problems: [problems['unknown-release']],
    response: json(OneRelease),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(
      request,
      reply,
      (current, { params: { version } }) =>
        answer(current)(version) ?? missing(problems['unknown-release'], `There is no PHP ${version}.`),
    ),
  );
};

const missing = (problem: ProblemType, detail: string): never => {
  throw new ProblemError(problem, { detail });
};

/** One release by its version; undefined when it is not on record. @param baseUrl public address, no slash at the end */
const oneRelease =
  (baseUrl: string): Prepare<(version: string) => Representation | undefined> =>
  ({ catalogue, lastModified }, cache) => {
    const all = listReleases(catalogue);
    return (version) =>
      cache.get(`release ${version}`, () => {
        const found = all.find(({ release }) => release.version === version);
        return (
          found && answerWithOne(OneRelease, lastModified, releaseView(found.branch, found.release, baseUrl))
        );
      });
  };

interface ReleaseListQuery extends ReleaseFilter {
  readonly limit: number;
  readonly cursor?: string;
}

/** A page of releases; undefined for a cursor that no page of this list has. */
const releaseList =
  (baseUrl: string): Prepare<(query: ReleaseListQuery) => Representation | undefined> =>
  ({ catalogue, lastModified }, cache) => {
    const all = listReleases(catalogue);
    // A release is on many pages, but written once.
    const texts = new Map<ListedRelease, string>();
    const itemText = (listed: ListedRelease): string => {
      const known = texts.get(listed);
      if (known !== undefined) return known;
      const text = checkedJson(ApiRelease, releaseView(listed.branch, listed.release, baseUrl));
      texts.set(listed, text);
      return text;
    };
    return ({ limit, cursor, ...filter }) => {
      const list = filterReleases(all, filter);
      const page = pageOf(list, limit, cursor ?? null);
      if (!page) return undefined;
      const { start, items, next } = page;
      // Days between two releases give the same list, whose length differs from that of the others.
      const { branch = '', security = '' } = items.length > 0 ? filter : {};
      return cache.get(`releases ${branch} ${security} ${list.length} ${start} ${items.length}`, () => {
        const frame = JSON.stringify({ ...envelope(lastModified), total: list.length, next_cursor: next });
        return new Representation(
          'application/json; charset=utf-8',
          `${frame.slice(0, -1)},"items":[${items.map(itemText).join(',')}]}`,
        );
      });
    };
  };
