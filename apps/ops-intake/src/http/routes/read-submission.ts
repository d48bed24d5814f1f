import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-kit';
import type { FindSubmission } from '../../application/find-submission.ts';
import type { Authentication } from '../authentication.ts';
import { outcomeBody } from '../representations/submission-outcome.ts';
import type { SubmissionOutcomeBody } from '../schemas/submission.ts';
import type { readSubmissionSchema } from '../schemas/read-submission.ts';

export interface ReadSubmissionRouteOptions {
  schema: ReturnType<typeof readSubmissionSchema>;
  findSubmission: FindSubmission;
  /** undefined: everyone may read */
  authentication?: Authentication | undefined;
  clock: Clock;
}

/** GET /operations/{submissionId}: what became of a submission; 404 when it is not in the log. */
export const readSubmissionRoute = (options: ReadSubmissionRouteOptions) => ({
  schema: options.schema,
  ...(options.authentication && { onRequest: options.authentication.hook }),
  handler: async (request: FastifyRequest, reply: FastifyReply): Promise<SubmissionOutcomeBody> => {
    const principal = options.authentication?.identityOf(request.raw)?.principal;
    const { submissionId } = request.params as { submissionId: string };
    const found = await options.findSubmission(submissionId, { principal, now: options.clock() });
    void reply.header('cache-control', 'no-store');
    if (found.outcome !== 'accepted') void reply.header('retry-after', '1');
    return outcomeBody(submissionId, found);
  },
});
