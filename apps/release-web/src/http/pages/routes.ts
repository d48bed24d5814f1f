import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import { branchOf, releasesOf } from '@workspace/release-catalogue';
import { branchPath } from '../../domain/paths.ts';
import { problems } from '../../problems.ts';
import type { Answers } from '../rendering/answers.ts';
import { page as pageResponse, redirection } from '../rendering/cacheable.ts';
import { BranchParameter, knownBranch } from '../rendering/known-branch.ts';
import { Representation } from '../rendering/representation.ts';
import type { RepresentationCache } from '../rendering/representation-cache.ts';
import { redirect } from '../rendering/send.ts';
import type { Prepare } from '../rendering/snapshot-store.ts';
import { allReleasesPage as allReleasesPageText } from './all-releases-page.ts';
import { branchPage as branchPageText } from './branch-page.ts';
import { PAGE_POLICY, type PageSite } from './document.ts';
import { releasePage as releasePageText } from './release-page.ts';
import { releasesPage } from './releases-page.ts';

/** A page, which shows today. @param write its markup */
const daily = (
  cache: RepresentationCache,
  key: string,
  now: Date,
  write: (today: Date) => string,
): Representation =>
  cache.daily(
    key,
    now,
    (today) => new Representation('text/html; charset=utf-8', write(today), { policy: PAGE_POLICY }),
  );

/** The page of all releases, at the front and at php.net's path. */
export const releasesPageOf =
  (site: PageSite): Prepare<(now: Date) => Representation> =>
  ({ catalogue }, cache) =>
  (now) =>
    daily(cache, 'releases', now, (today) => releasesPage(catalogue, today, site)).popular();

const tags = ['php.net'];

/** The page of releases, for people who type only the host. */
export const frontPage = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'frontPage',
      tags,
      summary: 'Supported branches, downloads and news, as a page',
      response: pageResponse('The page of /releases/.'),
    },
    (snapshot, cache) => {
      const page = releasesPageOf(answers.site)(snapshot, cache);
      return (_asked, now) => page(now);
    },
  );

/** The page of every release. It shows today when its data is old. */
export const allReleasesPage = (answers: Answers, path: string): void =>
  answers.route(
    path,
    {
      operationId: 'allReleasesPage',
      tags,
      summary: 'All releases, as a page',
      response: pageResponse('The page.'),
    },
    ({ catalogue }, cache) =>
      (_asked, now) =>
        daily(cache, 'all releases', now, (today) => allReleasesPageText(catalogue, today, answers.site)),
  );

const BranchParams = Type.Object({ branch: BranchParameter });

/** The page of a branch; without the slash at the end it redirects to it. */
export const branchPage = (app: Service, answers: Answers, path: `${string}:branch${string}/`): void => {
  answers.route(
    path,
    {
      // In an API description a path with a slash at its end is the one without it.
      hide: true,
      params: BranchParams,
      problems: [problems['unknown-branch'], commonProblems['not-found']],
      response: pageResponse('The page.'),
    },
    (snapshot, cache) =>
      ({ params }, now) => {
        const branch = knownBranch(snapshot, params.branch);
        return daily(cache, `branch ${branch.branch}`, now, (today) =>
          branchPageText(snapshot.catalogue, branch, today, answers.site),
        );
      },
  );
  const withoutSlash = {
    operationId: 'branchPage',
    tags,
    summary: 'The page of a branch with its support and all its releases',
    params: BranchParams,
    problems: [commonProblems['not-found']],
    response: redirection(301, 'To the page, which is at this path with a slash at its end.'),
  };
  app.get(path.slice(0, -1) as `${string}:branch`, { schema: withoutSlash }, (request, reply) =>
    redirect(reply, answers.site.redirectBase + branchPath(request.params), 301),
  );
};

/** The page of a release. */
export const releasePage = (answers: Answers, path: `${string}:version${string}`): void =>
  answers.route(
    path,
    {
      operationId: 'releasePage',
      tags,
      summary: 'The page of a release, which feeds link to',
      params: Type.Object({
        version: Type.String({ pattern: '^\\d+_\\d+_\\d+$', examples: ['8_4_24'] }),
      }),
      problems: [problems['unknown-release'], commonProblems['not-found']],
      response: pageResponse('The page.'),
    },
    ({ catalogue }, cache) =>
      ({ params }, now) => {
        const version = params.version.replaceAll('_', '.');
        const branch = catalogue.branches.find((candidate) => candidate.branch === branchOf(version));
        const release = branch && releasesOf(branch).find((candidate) => candidate.version === version);
        if (!release)
          throw new ProblemError(problems['unknown-release'], { detail: `There is no PHP ${version}.` });
        return daily(cache, `page ${version}`, now, (today) =>
          releasePageText(catalogue, branch, release, today, answers.site),
        );
      },
  );
