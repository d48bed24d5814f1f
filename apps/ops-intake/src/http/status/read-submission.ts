import type { Service } from '@workspace/service-kit';
import { type plainPage, wantsPage } from '@workspace/service-kit/problems';
import { rateLimitHook } from '@workspace/service-kit/rate-limit';
import type { Clock } from '@workspace/service-process';
import type { FindSubmission } from '../../application/find-submission.ts';
import { type AdmissionOptions, clientOf } from '../admission/admission.ts';
import { outcomePage } from './outcome-page.ts';
import { isRetryable, outcomeBody } from './submission-outcome.ts';
import type { readSubmissionSchema } from './read-submission-schema.ts';

export interface ReadSubmissionRouteOptions {
  schema: ReturnType<typeof readSubmissionSchema>;
  findSubmission: FindSubmission;
  admission: Pick<AdmissionOptions, 'authentication' | 'rateLimiter' | 'clientAddressOf'>;
  clock: Clock;
  /** makes pages for people */
  page: ReturnType<typeof plainPage>;
}

/** GET /operations/{submissionId}: what became of a submission, in a browser as a page; 404 when it is not in the log. */
export const readSubmissionRoute = (
  app: Service,
  path: string,
  { schema, findSubmission, admission, clock, page }: ReadSubmissionRouteOptions,
): void => {
  const { authentication, rateLimiter } = admission;
  const onRequest = [
    ...(authentication ? [authentication.hook] : []),
    // As much as a submission: how much a search of the topic costs is bounded by how many run at once.
    ...(rateLimiter ? [rateLimitHook(rateLimiter, (request) => clientOf(request, admission))] : []),
  ];
  app.get(path, { schema, onRequest }, async (request, reply) => {
    // A UUID is the same in capitals (RFC 9562, 4).
    const submissionId = request.params.submissionId.toLowerCase();
    const found = await findSubmission(submissionId, {
      principal: authentication?.identityOf(request.raw)?.principal,
      client: clientOf(request, admission),
      now: clock(),
    });
    void reply.header('cache-control', 'no-store');
    if (isRetryable(found)) void reply.header('retry-after', '1');
    const body = outcomeBody(submissionId, found);
    if (!wantsPage(request)) return body;
    const { html, headers } = page(...outcomePage(body), request.url);
    void reply.headers(headers).type('text/html; charset=utf-8');
    return html as never;
  });
};
