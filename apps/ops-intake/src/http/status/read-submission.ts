import type { Service } from '@workspace/service-kit';
import { rateLimitHook } from '@workspace/service-kit/rate-limit';
import type { Clock } from '@workspace/service-process';
import type { FindSubmission } from '../../application/find-submission.ts';
import { type AdmissionOptions, clientOf } from '../admission/admission.ts';
import { isRetryable, outcomeBody } from './submission-outcome.ts';
import type { readSubmissionSchema } from './read-submission-schema.ts';

export interface ReadSubmissionRouteOptions {
  schema: ReturnType<typeof readSubmissionSchema>;
  findSubmission: FindSubmission;
  admission: Pick<AdmissionOptions, 'authentication' | 'rateLimiter' | 'clientAddressOf'>;
  clock: Clock;
}

/** GET /operations/{submissionId}: what became of a submission; 404 when it is not in the log. */
export const readSubmissionRoute = (
  app: Service,
  path: string,
  { schema, findSubmission, admission, clock }: ReadSubmissionRouteOptions,
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
    return outcomeBody(submissionId, found);
  });
};
