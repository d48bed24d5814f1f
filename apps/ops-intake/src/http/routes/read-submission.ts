import type { Clock, Service } from '@workspace/service-kit';
import type { FindSubmission } from '../../application/find-submission.ts';
import type { Authentication } from '../authentication.ts';
import { outcomeBody } from '../representations/submission-outcome.ts';
import type { readSubmissionSchema } from '../schemas/read-submission.ts';

export interface ReadSubmissionRouteOptions {
  schema: ReturnType<typeof readSubmissionSchema>;
  findSubmission: FindSubmission;
  /** undefined: everyone may read */
  authentication?: Authentication | undefined;
  clock: Clock;
}

/** GET /operations/{submissionId}: what became of a submission; 404 when it is not in the log. */
export const readSubmissionRoute = (
  app: Service,
  path: string,
  { schema, findSubmission, authentication, clock }: ReadSubmissionRouteOptions,
): void => {
  const hooks = authentication && { onRequest: authentication.hook };
  app.get(path, { schema, ...hooks }, async (request, reply) => {
    const { submissionId } = request.params;
    const principal = authentication?.identityOf(request.raw)?.principal;
    const found = await findSubmission(submissionId, { principal, now: clock() });
    void reply.header('cache-control', 'no-store');
    if (found.outcome !== 'accepted') void reply.header('retry-after', '1');
    return outcomeBody(submissionId, found);
  });
};
