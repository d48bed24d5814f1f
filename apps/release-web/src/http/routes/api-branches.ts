import { Type } from '@sinclair/typebox';
import { branchOf } from '@workspace/release-catalogue';
import type { Service } from '@workspace/service-kit';
import { parseReportedVersion, REPORTED_VERSION_PATTERN } from '../../domain/reported-version.ts';
import { problems } from '../../problems.ts';
import { json } from '../cacheable.ts';
import { ApiSchemas } from '../schemas/api.ts';
import { BranchParameter, knownBranch, OptionalBranch } from './known-branch.ts';
import { responder, type ResponseSource } from './respond.ts';

const tags = ['api'];

export const apiBranches = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'branches',
    tags,
    summary: 'Every branch with its state now, newest first',
    response: json(ApiSchemas.branches),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }) => responses.api.branches),
  );
};

export const apiBranch = (app: Service, path: `${string}:branch`, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'branch',
    tags,
    summary: 'One branch',
    params: Type.Object({ branch: BranchParameter }),
    problems: [problems['unknown-branch']],
    response: json(ApiSchemas.branch),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { params }) =>
      responses.api.branch(knownBranch(snapshot, params.branch)),
    ),
  );
};

const SupportQuery = Type.Object({
  version: Type.String({
    pattern: REPORTED_VERSION_PATTERN,
    maxLength: 100,
    description: 'of an installation, as PHP or the package manager reports it; or a branch',
    examples: ['8.4.20', '7.4.3-4ubuntu2.29'],
  }),
});

export const apiSupport = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'support',
    tags,
    summary: 'What an installation needs: a patch, an upgrade or nothing',
    querystring: SupportQuery,
    problems: [problems['unknown-branch']],
    response: json(ApiSchemas.support),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { query }) => {
      // A plus sign in a query is read as a space, and package versions are full of plus signs.
      const version = query.version.replaceAll(' ', '+');
      const reported = parseReportedVersion(version)!;
      return responses.api.support(knownBranch(snapshot, branchOf(reported.base)), version, reported);
    }),
  );
};

export const apiEvents = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'events',
    tags,
    summary: 'Days on which the support of a branch changes, past and coming',
    querystring: OptionalBranch,
    problems: [problems['unknown-branch']],
    response: json(ApiSchemas.events),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { query }) =>
      responses.api.events(knownBranch(snapshot, query.branch)),
    ),
  );
};
