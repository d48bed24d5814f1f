import { Type } from '@sinclair/typebox';
import { commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { cacheable, redirection } from '../cacheable.ts';
import { redirect } from '../redirect.ts';
import { answering, type AnswerSource } from './answers.ts';
import { downloadUrl } from '../../domain/download-url.ts';

const tags = ['php.net'];

/** `/releases/8_4_24.php` and `/distributions/<file>`: what feeds and archive link to. */
export const releasePageRoutes = (app: Service, source: AnswerSource): void => {
  const answer = answering(source);
  app.get(
    '/releases/:version(^\\d+_\\d+_\\d+).php',
    {
      schema: {
        operationId: 'releasePage',
        tags,
        summary: 'The page of a release, which feeds link to',
        params: Type.Object({
          version: Type.String({ pattern: '^\\d+_\\d+_\\d+$', examples: ['8_4_24'] }),
        }),
        problems: [problems['unknown-release'], commonProblems['not-found']],
        response: cacheable('The page.', { 'text/html': Type.String() }),
      },
    },
    (request, reply) =>
      answer(request, reply, (snapshot, { params }) => {
        const version = params.version.replaceAll('_', '.');
        const answer = snapshot.releasePage(version);
        if (!answer) {
          throw new ProblemError(problems['unknown-release'], { detail: `${version} is not on record.` });
        }
        return answer;
      }),
  );
  // The archives themselves are kept elsewhere; the links of the feed are php.net's.
  app.get(
    '/distributions/:filename',
    {
      schema: {
        operationId: 'distribution',
        tags,
        summary: 'Where a file of a release is kept',
        params: Type.Object({ filename: Type.String({ examples: ['php-8.4.24.tar.xz'] }) }),
        problems: [problems['unknown-release']],
        response: redirection(302, 'To the archive.'),
      },
    },
    (request, reply) => {
      const { filename } = request.params;
      const { catalogue } = source.store.at(source.clock());
      const url = downloadUrl(catalogue, filename);
      if (url === undefined) {
        throw new ProblemError(problems['unknown-release'], {
          detail: `${filename} belongs to no release or build on record.`,
        });
      }
      return redirect(reply, url, 302);
    },
  );
};
