import { Type } from '@sinclair/typebox';
import { apiResponse } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import type { SubmitFacts } from './submit.ts';
import { SubmissionOutcomeBody } from './submission.ts';

/** The schema of GET /operations/{submissionId}. The route judges the id itself: what is no id is not found. */
export const readSubmissionSchema = ({
  withTokens,
  withJwt,
  withScope,
}: Pick<SubmitFacts, 'withTokens' | 'withJwt' | 'withScope'>) => ({
  operationId: 'readSubmission',
  tags: ['operations'],
  summary: 'What became of a submission',
  described: {
    params: Type.Object({ submissionId: Type.String({ description: 'a UUID; anything else is not found' }) }),
  },
  problems: [
    problems['submission-not-found'],
    ...(withTokens ? [problems.unauthorized] : []),
    ...(withScope ? [problems.forbidden] : []),
    ...(withJwt ? [problems['token-issuer-unavailable']] : []),
  ],
  response: {
    200: apiResponse('It is in the log, on its way, or cannot be decided now.', {
      content: { 'application/json': SubmissionOutcomeBody },
      headers: {
        'Cache-Control': Type.Literal('no-store'),
        'Retry-After': Type.String({ description: 'seconds; only where it is worth asking again' }),
      },
    }),
  },
  ...(withTokens && { security: [{ bearer: [] }] }),
});
