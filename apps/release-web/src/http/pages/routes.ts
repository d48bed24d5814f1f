import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import { problems } from '../../problems.ts';
import { page as pageResponse, redirection } from '../rendering/cacheable.ts';
import { branchPath } from '../../domain/paths.ts';
import { redirect } from '../rendering/redirect.ts';
import { BranchParameter, knownBranch } from '../rendering/known-branch.ts';
import { type Answers, showsToday } from '../rendering/answers.ts';
import { type BranchFile, branchOf, releasesOf } from '@workspace/release-catalogue';
import { daily } from '../rendering/daily.ts';
import { allReleasesPage as allReleasesPageText } from './all-releases-page.ts';
import { branchPage as branchPageText } from './branch-page.ts';
import { pageRepresentation, releasesPageOf } from './page-representation.ts';
import { releasePage as releasePageText } from './release-page.ts';

const tags = ['php.net'];

/** The page of releases, for people who type only the host. */
export const frontPage = (app: Service, path: string, answers: Answers): void => {
  const page = answers.prepare(releasesPageOf(answers.site));
  const schema = {
    operationId: 'frontPage',
    tags,
    summary: 'Supported branches, downloads and news, as a page',
    response: pageResponse('The page of /releases/.'),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, _request, now) => page(current)(now), showsToday),
  );
};

/** The page of every release. It shows today when its data is old. */
export const allReleasesPage = (app: Service, path: string, answers: Answers): void => {
  const page = answers.prepare(
    ({ catalogue }, cache) =>
      (now: Date) =>
        daily(cache, 'all releases', now, (today) =>
          pageRepresentation(allReleasesPageText(catalogue, today, answers.site)),
        ),
  );
  const schema = {
    operationId: 'allReleasesPage',
    tags,
    summary: 'All releases, as a page',
    response: pageResponse('The page.'),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(request, reply, (current, _request, now) => page(current)(now), showsToday),
  );
};

const BranchParams = Type.Object({ branch: BranchParameter });

/** The page of a branch; without the slash at the end it redirects to it. It shows today. */
export const branchPage = (app: Service, path: `${string}:branch${string}/`, answers: Answers): void => {
  const { redirectBase } = answers.site;
  const page = answers.prepare(
    ({ catalogue }, cache) =>
      (branch: BranchFile, now: Date) =>
        daily(cache, `branch ${branch.branch}`, now, (today) =>
          pageRepresentation(branchPageText(catalogue, branch, today, answers.site)),
        ),
  );
  const schema = {
    // In an API description a path with a slash at its end is the one without it.
    hide: true,
    params: BranchParams,
    problems: [problems['unknown-branch'], commonProblems['not-found']],
    response: pageResponse('The page.'),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(
      request,
      reply,
      (current, { params }, now) => page(current)(knownBranch(current.snapshot, params.branch), now),
      showsToday,
    ),
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
    redirect(reply, redirectBase + branchPath(request.params), 301),
  );
};

/** The page of a release. It shows today. */
export const releasePage = (app: Service, path: `${string}:version${string}`, answers: Answers): void => {
  const page = answers.prepare(({ catalogue }, cache) => (version: string, now: Date) => {
    const branch = catalogue.branches.find((candidate) => candidate.branch === branchOf(version));
    const release = branch && releasesOf(branch).find((candidate) => candidate.version === version);
    if (!release) return undefined;
    return daily(cache, `page ${version}`, now, (today) =>
      pageRepresentation(releasePageText(catalogue, branch, release, today, answers.site)),
    );
  });
  const schema = {
    operationId: 'releasePage',
    tags,
    summary: 'The page of a release, which feeds link to',
    params: Type.Object({
      version: Type.String({ pattern: '^\\d+_\\d+_\\d+$', examples: ['8_4_24'] }),
    }),
    problems: [problems['unknown-release'], commonProblems['not-found']],
    response: pageResponse('The page.'),
  };
  app.get(path, { schema }, (request, reply) =>
    answers.respond(
      request,
      reply,
      (current, { params }, now) => {
        const version = params.version.replaceAll('_', '.');
        const found = page(current)(version, now);
        if (found) return found;
        throw new ProblemError(problems['unknown-release'], { detail: `There is no PHP ${version}.` });
      },
      showsToday,
    ),
  );
};
