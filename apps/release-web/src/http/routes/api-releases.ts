import { Type } from '@sinclair/typebox';
import { RecordedVersion } from '@workspace/release-catalogue';
import { ProblemError, type ProblemType, type Service } from '@workspace/service-kit';
import { CURSOR_PATTERN } from '../../domain/release-list.ts';
import { problems } from '../../problems.ts';
import { json } from '../cacheable.ts';
import { ApiSchemas } from '../schemas/api.ts';
import { BranchParameter, knownBranch, OptionalBranch } from './known-branch.ts';
import { responder, type ResponseSource } from './respond.ts';

const tags = ['api'];

const ReleaseList = Type.Object({
  branch: Type.Optional(BranchParameter),
  since: Type.Optional(Type.String({ format: 'date', description: 'released on this day or later' })),
  security: Type.Optional(
    Type.Boolean({ description: 'only those that fix security issues, or only the others' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  cursor: Type.Optional(
    Type.String({
      pattern: CURSOR_PATTERN,
      description: 'next_cursor of the previous page, with the same filters',
    }),
  ),
});

export const apiReleases = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'releases',
    tags,
    summary: 'Releases, newest first, in pages',
    querystring: ReleaseList,
    problems: [problems['unknown-branch'], problems['unknown-cursor']],
    response: json(ApiSchemas.releases),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ snapshot, responses }, { query }) => {
      const { limit, branch, since, security, cursor } = query;
      knownBranch(snapshot, branch);
      return (
        responses.api.releases({
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

export const apiLatestRelease = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'latestRelease',
    tags,
    summary: 'The newest release, of all or of one branch',
    querystring: OptionalBranch,
    problems: [problems['unknown-branch'], problems['unknown-release']],
    response: json(ApiSchemas.release),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(
      request,
      reply,
      ({ snapshot, responses }, { query }) =>
        responses.api.latest(knownBranch(snapshot, query.branch)) ??
        missing(problems['unknown-release'], 'Nothing is released yet.'),
    ),
  );
};

export const apiRelease = (app: Service, path: `${string}:version`, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'release',
    tags,
    summary: 'One release',
    params: Type.Object({ version: RecordedVersion }),
    problems: [problems['unknown-release']],
    response: json(ApiSchemas.release),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(
      request,
      reply,
      ({ responses }, { params: { version } }) =>
        responses.api.release(version) ??
        missing(problems['unknown-release'], `${version} is not on record.`),
    ),
  );
};

export const apiPreReleases = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'preReleases',
    tags,
    summary: 'Coming releases and their builds',
    response: json(ApiSchemas.preReleases),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }) => responses.api.preReleases),
  );
};

export const apiDevVersions = (app: Service, path: string, source: ResponseSource): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'devVersions',
    tags,
    summary: 'Versions under development',
    response: json(ApiSchemas.devVersions),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }) => responses.api.devVersions),
  );
};

const missing = (problem: ProblemType, detail: string): never => {
  throw new ProblemError(problem, { detail });
};
