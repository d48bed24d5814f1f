import { Type } from '@sinclair/typebox';
import { ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../problems.ts';
import { redirect } from '../http/redirect.ts';
import { answers, type AnswerSource } from './answers.ts';
import { downloadUrl } from '../domain/download-url.ts';

const ReleaseOfPage = Type.Object({ version: Type.String() });

/** `/releases/8_4_24.php` and `/distributions/<file>`: what feeds and archive link to. */
export const releasePageRoutes = (app: Service, source: AnswerSource): void => {
  app.get(
    '/releases/:version(^\\d+_\\d+_\\d+).php',
    { schema: { params: ReleaseOfPage } },
    answers(source, (snapshot, { params }) => {
      const version = (params as { version: string }).version.replaceAll('_', '.');
      const answer = snapshot.releasePage(version);
      if (!answer)
        throw new ProblemError(problems['unknown-release'], { detail: `${version} is not on record.` });
      return answer;
    }),
  );
  // The archives themselves are kept elsewhere; the links of the feed are php.net's.
  app.get(
    '/distributions/:filename',
    { schema: { params: Type.Object({ filename: Type.String() }) } },
    (request, reply) => {
      const { filename } = request.params as { filename: string };
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
