import { Type } from '@sinclair/typebox';
import { apiResponse } from '@workspace/service-kit';
import { RATE_LIMIT_HEADERS } from '@workspace/service-kit/rate-limit';
import { problems } from '../../problems.ts';
import type { SubmitFacts } from '../submit/submit-schema.ts';
import { SubmissionOutcomeBody } from '../submit/submission-schema.ts';

/** Anything that is not a UUID is not found, so the schema takes any text. */
const SubmissionParams = Type.Object({
  submissionId: Type.String({ description: 'a UUID; anything else is not found' }),
});

/** The schema of GET /operations/{submissionId}. */
export const readSubmissionSchema = ({
  security,
  withRateLimit,
  optionProblems,
}: Pick<SubmitFacts, 'security' | 'withRateLimit' | 'optionProblems'>) => ({
  operationId: 'readSubmission',
  tags: ['operations'],
  summary: 'What became of a submission',
  params: SubmissionParams,
  problems: [
    problems['submission-not-found'],
    ...(security.length > 0 ? [problems.unauthorized] : []),
    ...optionProblems,
  ],
  response: {
    200: apiResponse('It is in the log, on its way, or cannot be decided now.', {
      content: { 'application/json': SubmissionOutcomeBody },
      headers: {
        'Cache-Control': Type.Literal('no-store'),
        'Retry-After': Type.String({ description: 'seconds; only where it is worth asking again' }),
        ...(withRateLimit && RATE_LIMIT_HEADERS),
      },
    }),
  },
  ...(security.length > 0 && { security }),
});
