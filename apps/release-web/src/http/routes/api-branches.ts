import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { branchOf } from '@workspace/release-catalogue';
import { json } from '../cacheable.ts';
import { problems } from '../../problems.ts';
import { ApiAnswers } from '../api-responses.ts';
import { answering, type AnswerSource } from './answers.ts';
import { BranchParameter, knownBranch, OptionalBranch } from './known-branch.ts';
import { parseReportedVersion, REPORTED_VERSION_PATTERN } from '../../domain/reported-version.ts';

const OneBranch = Type.Object({ branch: BranchParameter });

const SupportQuery = Type.Object({
  version: Type.String({
    pattern: REPORTED_VERSION_PATTERN,
    maxLength: 100,
    description: 'of an installation, as PHP or the package manager reports it; or a branch',
    examples: ['8.4.20', '7.4.3-4ubuntu2.29'],
  }),
});

const tags = ['api'];

/** Branches, what they mean for an installation, and their days. */
export const apiBranchRoutes = (app: Service, source: AnswerSource): void => {
  const answer = answering(source);
  app.get(
    '/api/v1/branches',
    {
      schema: {
        operationId: 'branches',
        tags,
        summary: 'Every branch with its state now, newest first',
        response: json(ApiAnswers.branches),
      },
    },
    (request, reply) => answer(request, reply, ({ api }) => api.branches),
  );
  app.get(
    '/api/v1/branches/:branch',
    {
      schema: {
        operationId: 'branch',
        tags,
        summary: 'One branch',
        params: OneBranch,
        problems: [problems['unknown-branch']],
        response: json(ApiAnswers.branch),
      },
    },
    (request, reply) =>
      answer(request, reply, (snapshot, { params }) =>
        snapshot.api.branch(knownBranch(snapshot, params.branch)),
      ),
  );
  app.get(
    '/api/v1/support',
    {
      schema: {
        operationId: 'support',
        tags,
        summary: 'What an installation needs: a patch, an upgrade or nothing',
        querystring: SupportQuery,
        problems: [problems['unknown-branch']],
        response: json(ApiAnswers.support),
      },
    },
    (request, reply) =>
      answer(request, reply, (snapshot, { query }) => {
        // A plus sign in a query is read as a space, and package versions are full of plus signs.
        const version = query.version.replaceAll(' ', '+');
        const reported = parseReportedVersion(version)!;
        const branch = knownBranch(snapshot, branchOf(reported.base));
        return snapshot.api.support(branch, version, reported);
      }),
  );
  app.get(
    '/api/v1/events',
    {
      schema: {
        operationId: 'events',
        tags,
        summary: 'Days on which a branch enters another part of its life, past and coming',
        querystring: OptionalBranch,
        problems: [problems['unknown-branch']],
        response: json(ApiAnswers.events),
      },
    },
    (request, reply) =>
      answer(request, reply, (snapshot, { query }) =>
        snapshot.api.events(knownBranch(snapshot, query.branch)),
      ),
  );
};
