import { Type } from '@sinclair/typebox';
import { commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { page, redirection } from '../cacheable.ts';
import { branchPath } from '../paths.ts';
import { redirect } from '../redirect.ts';
import { BranchParameter, knownBranch } from './known-branch.ts';
import { responder, type ResponseSource, showsToday } from './respond.ts';

const tags = ['php.net'];

/** The page of releases, for people who type only the host. */
export const frontPage = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'frontPage',
    tags,
    summary: 'Supported branches, downloads and news, as a page',
    response: page('The page of /releases/.'),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }, _request, now) => responses.releasesPage(now), showsToday),
  );
};

const BranchParams = Type.Object({ branch: BranchParameter });

/** The page of a branch; without the slash at the end it redirects to it. @param base what redirects begin with */
export const branchPage = (
  app: Service,
  path: `${string}:branch${string}/`,
  source: ResponseSource,
  base: string,
): void => {
  const respond = responder(source);
  const schema = {
    // In an API description a path with a slash at its end is the one without it.
    hide: true,
    params: BranchParams,
    problems: [problems['unknown-branch'], commonProblems['not-found']],
    response: page('The page.'),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(
      request,
      reply,
      ({ snapshot, responses }, { params }, now) =>
        responses.branchPage(knownBranch(snapshot, params.branch), now),
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
    redirect(reply, base + branchPath(request.params), 301),
  );
};

/** The page of a release. */
export const releasePage = (
  app: Service,
  path: `${string}:version${string}`,
  source: ResponseSource,
): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'releasePage',
    tags,
    summary: 'The page of a release, which feeds link to',
    params: Type.Object({
      version: Type.String({ pattern: '^\\d+_\\d+_\\d+$', examples: ['8_4_24'] }),
    }),
    problems: [problems['unknown-release'], commonProblems['not-found']],
    response: page('The page.'),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }, { params }) => {
      const version = params.version.replaceAll('_', '.');
      const found = responses.releasePage(version);
      if (found) return found;
      throw new ProblemError(problems['unknown-release'], { detail: `${version} is not on record.` });
    }),
  );
};
