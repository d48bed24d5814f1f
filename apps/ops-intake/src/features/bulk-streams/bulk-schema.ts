import { Type } from '@sinclair/typebox';
import { apiResponse } from '@workspace/service-kit';
import { bulkProblems } from './problems.ts';
import { problemsAt, type SubmitFacts } from '../../http/submit/submit-schema.ts';

export const NDJSON = 'application/x-ndjson';

/** The schema of POST /operations/batch; each line is judged by itself. */
export const bulkSchema = (facts: SubmitFacts) => ({
  operationId: 'submitMany',
  tags: ['operations'],
  summary: 'Submit many submissions, a line each; answered line by line, in order',
  description:
    'NDJSON of any length. The answer is written while the body arrives, so a client has to read while it sends. Each line is answered ' +
    'with what a request for it alone would get, with its status as a member. A stream that breaks off can be sent again: its keys ' +
    'keep what was accepted from being written twice.',
  described: {
    ...(facts.schemas && {
      headers: Type.Object({ 'Operation-Schema': facts.schemas.header }),
    }),
    body: Type.Unsafe({
      content: {
        [NDJSON]: {
          schema: Type.String({
            description:
              'an object per line: `key` (the Idempotency-Key), `operations` (the submission) and, if it has them, `partitionKey`' +
              (facts.withSequences ? ', `sequence` (a number, as in Sequence)' : '') +
              ' and, with schemas of your own, `schema` (the Operation-Schema)',
            examples: [
              '{"key":"order-1","partitionKey":"account-7","operations":[{"operation":"buy","unit-cost":10.00,"quantity":100}]}\n',
            ],
          }),
        },
      },
    }),
  },
  problems: [bulkProblems['too-many-streams'], ...problemsAt({ ...facts, keyRequired: true })],
  response: {
    200: apiResponse('An answer for each line, in order.', {
      content: {
        [NDJSON]: Type.String({
          description:
            'per line an object with its number as `line`, its `key` and its `status`; a stream that ends before its lines has a last object with `end`',
          examples: [
            '{"line":1,"key":"order-1","status":202,"submissionId":"a1dd7531-5e2c-53d7-96f2-651bf8b56c1d","operations":1,"topic":"operations","partition":0,"offset":42,"statusUrl":"/operations/a1dd7531-5e2c-53d7-96f2-651bf8b56c1d"}\n',
          ],
        }),
      },
      headers: { 'Cache-Control': Type.Literal('no-store') },
    }),
  },
  ...(facts.security.length > 0 && { security: facts.security }),
});
