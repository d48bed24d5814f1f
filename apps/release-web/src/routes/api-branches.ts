import { Type } from '@sinclair/typebox';
import { branchOf } from '@workspace/release-catalogue';
import type { Operations } from '../http/operation.ts';
import { ApiAnswers } from '../snapshot/api-answers.ts';
import type { AnswerSource } from './answers.ts';
import { apiGet } from './api-get.ts';
import { BranchParameter, knownBranch, OptionalBranch } from './known-branch.ts';
import { parseReportedVersion, REPORTED_VERSION_PATTERN } from '../domain/reported-version.ts';

const OneBranch = Type.Object({ branch: BranchParameter });

const SupportQuery = Type.Object({
  version: Type.String({
    pattern: REPORTED_VERSION_PATTERN,
    maxLength: 100,
    description: 'of an installation, as PHP or the package manager reports it; or a branch',
    examples: ['8.4.20', '7.4.3-4ubuntu2.29'],
  }),
});

/** Branches, what they mean for an installation, and their days. */
export const apiBranchRoutes = (operations: Operations, source: AnswerSource): void => {
  apiGet(
    operations,
    source,
    {
      path: '/branches',
      id: 'branches',
      summary: 'Every branch with its state now, newest first',
      answer: ApiAnswers.branches,
    },
    ({ api }) => api.branches,
  );
  apiGet(
    operations,
    source,
    {
      path: '/branches/:branch',
      id: 'branch',
      summary: 'One branch',
      params: OneBranch,
      answer: ApiAnswers.branch,
    },
    (snapshot, { params }) => snapshot.api.branch(knownBranch(snapshot, params.branch)),
  );
  apiGet(
    operations,
    source,
    {
      path: '/support',
      id: 'support',
      summary: 'What an installation needs: a patch, an upgrade or nothing',
      query: SupportQuery,
      answer: ApiAnswers.support,
    },
    (snapshot, { query }) => {
      // A plus sign in a query is read as a space, and package versions are full of plus signs.
      const version = query.version.replaceAll(' ', '+');
      const reported = parseReportedVersion(version)!;
      const branch = knownBranch(snapshot, branchOf(reported.base));
      return snapshot.api.support(branch, version, reported);
    },
  );
  apiGet(
    operations,
    source,
    {
      path: '/events',
      id: 'events',
      summary: 'Days on which a branch enters another part of its life, past and coming',
      query: OptionalBranch,
      answer: ApiAnswers.events,
    },
    (snapshot, { query }) => snapshot.api.events(knownBranch(snapshot, query.branch)),
  );
};
