import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '@workspace/service-kit';
import type { FindSubmission } from '../../application/find-submission.ts';
import { type AdmissionOptions, principalIn } from '../admission.ts';
import { outcomeBody } from '../representations/submission-outcome.ts';
import type { SubmissionOutcomeBody } from '../schemas/submission.ts';
import type { readSubmissionSchema } from '../schemas/read-submission.ts';

export interface ReadSubmissionRouteOptions {
  schema: ReturnType<typeof readSubmissionSchema>;
  findSubmission: FindSubmission;
  admission: AdmissionOptions;
  clock: Clock;
}

/** GET /operations/{submissionId}: what became of a submission; 404 when it is not in the log. */
export const readSubmissionRoute = (options: ReadSubmissionRouteOptions) => ({
  schema: options.schema,
  handler: async (request: FastifyRequest, reply: FastifyReply): Promise<SubmissionOutcomeBody> => {
    const principal = principalIn(request, options.admission);
    const { submissionId } = request.params as { submissionId: string };
    const found = await options.findSubmission(submissionId, { principal, now: options.clock() });
    void reply.header('cache-control', 'no-store');
    if (found.outcome !== 'accepted') void reply.header('retry-after', '1');
    return outcomeBody(submissionId, found);
  },
});
