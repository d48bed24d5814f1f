import { Type } from '@sinclair/typebox';
import { ProblemError } from '@workspace/service-kit';
import { RecordedVersion } from '@workspace/release-catalogue';
import { problems } from '../problems.ts';
import type { Operations } from '../http/operation.ts';
import { ApiAnswers } from '../snapshot/api-answers.ts';
import { CURSOR_PATTERN } from '../views/api/release-page.ts';
import type { AnswerSource } from './answers.ts';
import { apiGet } from './api-get.ts';
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

/** Releases and what comes before them. */
export const apiReleaseRoutes = (operations: Operations, source: AnswerSource): void => {
  apiGet(
    operations,
    source,
    {
      path: '/releases',
      id: 'releases',
      summary: 'Releases, newest first, in pages',
      query: ReleaseList,
      answer: ApiAnswers.releases,
    },
    (snapshot, { query: { limit, branch, since, security, cursor } }) => {
      knownBranch(snapshot, branch);
      return snapshot.api.releases({
        limit,
        ...(branch !== undefined && { branch }),
        ...(since !== undefined && { since }),
        ...(security !== undefined && { security }),
        ...(cursor !== undefined && { cursor }),
      });
    },
  );
  apiGet(
    operations,
    source,
    {
      path: '/releases/latest',
      id: 'latestRelease',
      summary: 'The newest release, of all or of one branch',
      query: OptionalBranch,
      answer: ApiAnswers.release,
    },
    (snapshot, { query }) =>
      snapshot.api.latest(knownBranch(snapshot, query.branch)) ?? refuse('Nothing is released yet.'),
  );
  apiGet(
    operations,
    source,
    {
      path: '/releases/:version',
      id: 'release',
      summary: 'One release',
      params: OneRelease,
      answer: ApiAnswers.release,
    },
    ({ api }, { params: { version } }) => api.release(version) ?? refuse(`${version} is not on record.`),
  );
  apiGet(
    operations,
    source,
    {
      path: '/pre-releases',
      id: 'preReleases',
      summary: 'Coming releases and their builds',
      answer: ApiAnswers.preReleases,
    },
    ({ api }) => api.preReleases,
  );
  apiGet(
    operations,
    source,
    {
      path: '/dev-versions',
      id: 'devVersions',
      summary: 'Versions under development',
      answer: ApiAnswers.devVersions,
    },
    ({ api }) => api.devVersions,
  );
};

const refuse = (detail: string): never => {
  throw new ProblemError(problems['unknown-release'], { detail });
};
