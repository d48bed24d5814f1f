import { Type } from '@sinclair/typebox';
import { commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { cacheable } from '../cacheable.ts';
import { responder, type ResponseSource } from './respond.ts';

/** The page of a release. */
export const releasePage = (
  app: Service,
  path: `${string}:version${string}`,
  source: ResponseSource,
): void => {
  const respond = responder(source);
  const schema = {
    operationId: 'releasePage',
    tags: ['php.net'],
    summary: 'The page of a release, which feeds link to',
    params: Type.Object({
      version: Type.String({ pattern: '^\\d+_\\d+_\\d+$', examples: ['8_4_24'] }),
    }),
    problems: [problems['unknown-release'], commonProblems['not-found']],
    response: cacheable('The page.', { 'text/html': Type.String() }),
  };
  app.get(path, { schema }, (request, reply) =>
    respond(request, reply, ({ responses }, { params }) => {
      const version = params.version.replaceAll('_', '.');
      const page = responses.releasePage(version);
      if (page) return page;
      throw new ProblemError(problems['unknown-release'], { detail: `${version} is not on record.` });
    }),
  );
};
