import { Type } from '@sinclair/typebox';
import { ProblemError, type Service } from '@workspace/service-kit';
import { RecordedVersion } from '@workspace/release-catalogue';
import { problems } from '../../problems.ts';
import { json } from '../cacheable.ts';
import { ApiAnswers } from '../api-responses.ts';
import { CURSOR_PATTERN } from '../../domain/release-list.ts';
import { answering, type AnswerSource } from './answers.ts';
import { BranchParameter, knownBranch, OptionalBranch } from './known-branch.ts';

const OneRelease = Type.Object({ version: RecordedVersion });

const ReleaseList = Type.Object({
  branch: Type.Optional(BranchParameter),
  since: Type.Optional(Type.String({ format: 'date', description: 'released on this day or later' })),
  security: Type.Optional(
    Type.Boolean({ description: 'only those that fix security faults, or only the others' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  cursor: Type.Optional(
    Type.String({ pattern: CURSOR_PATTERN, description: 'next_cursor of the page before' }),
  ),
});

const tags = ['api'];

/** Releases and what comes before them. */
export const apiReleaseRoutes = (app: Service, source: AnswerSource): void => {
  const answer = answering(source);
  app.get(
    '/api/v1/releases',
    {
      schema: {
        operationId: 'releases',
        tags,
        summary: 'Releases, newest first, in pages',
        querystring: ReleaseList,
        problems: [problems['unknown-branch']],
        response: json(ApiAnswers.releases),
      },
    },
    (request, reply) =>
      answer(request, reply, (snapshot, { query: { limit, branch, since, security, cursor } }) => {
        knownBranch(snapshot, branch);
        return snapshot.api.releases({
          limit,
          ...(branch !== undefined && { branch }),
          ...(since !== undefined && { since }),
          ...(security !== undefined && { security }),
          ...(cursor !== undefined && { cursor }),
        });
      }),
  );
  app.get(
    '/api/v1/releases/latest',
    {
      schema: {
        operationId: 'latestRelease',
        tags,
        summary: 'The newest release, of all or of one branch',
        querystring: OptionalBranch,
        problems: [problems['unknown-branch'], problems['unknown-release']],
        response: json(ApiAnswers.release),
      },
    },
    (request, reply) =>
      answer(
        request,
        reply,
        (snapshot, { query }) =>
          snapshot.api.latest(knownBranch(snapshot, query.branch)) ?? refuse('Nothing is released yet.'),
      ),
  );
  app.get(
    '/api/v1/releases/:version',
    {
      schema: {
        operationId: 'release',
        tags,
        summary: 'One release',
        params: OneRelease,
        problems: [problems['unknown-release']],
        response: json(ApiAnswers.release),
      },
    },
    (request, reply) =>
      answer(
        request,
        reply,
        ({ api }, { params: { version } }) => api.release(version) ?? refuse(`${version} is not on record.`),
      ),
  );
  app.get(
    '/api/v1/pre-releases',
    {
      schema: {
        operationId: 'preReleases',
        tags,
        summary: 'Coming releases and their builds',
        response: json(ApiAnswers.preReleases),
      },
    },
    (request, reply) => answer(request, reply, ({ api }) => api.preReleases),
  );
  app.get(
    '/api/v1/dev-versions',
    {
      schema: {
        operationId: 'devVersions',
        tags,
        summary: 'Versions under development',
        response: json(ApiAnswers.devVersions),
      },
    },
    (request, reply) => answer(request, reply, ({ api }) => api.devVersions),
  );
};

const refuse = (detail: string): never => {
  throw new ProblemError(problems['unknown-release'], { detail });
};
