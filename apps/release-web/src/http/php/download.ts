import { Type } from '@sinclair/typebox';
import type { Service } from '@workspace/service-kit';
import { ProblemError } from '@workspace/service-kit/problems';
import { downloadUrl } from '../../domain/paths.ts';
import { problems } from '../../problems.ts';
import { redirection } from '../rendering/cacheable.ts';
import { redirect } from '../rendering/send.ts';
import type { Answers } from '../rendering/answers.ts';

/** The files of releases and builds, which are kept elsewhere: the links of the feed are php.net's. */
export const download = (app: Service, path: `${string}:filename`, answers: Answers): void => {
  const schema = {
    operationId: 'distribution',
    tags: ['php.net'],
    summary: 'Where a file of a release or a build, or its signature, is kept',
    params: Type.Object({ filename: Type.String({ examples: ['php-8.4.24.tar.xz'] }) }),
    problems: [problems['unknown-release']],
    response: redirection(302, 'To the file.'),
  };
  app.get(path, { schema }, (request, reply) => {
    const { filename } = request.params;
    const url = downloadUrl(answers.snapshot.catalogue, filename);
    if (url !== undefined) return redirect(reply, url, 302);
    const detail = `${filename} belongs to no release or build on record.`;
    throw new ProblemError(problems['unknown-release'], { detail });
  });
};
