import { Type } from '@sinclair/typebox';
import { apiResponse, type Service } from '@workspace/service-kit';
import { PUBLIC_HEADERS } from '../../http/headers.ts';
import { FORMATS } from '../../http/lookup/formats/formats.ts';
import type { Lookups } from '../../extension-points.ts';
import { chargeProblems, chargeSecurity } from '../../http/rate-limit.ts';

const NO_STORE = 'private, no-store';
const Quota = Type.Object({
  available: Type.String({
    description: 'a number, `unlimited`, or `API key needed` for a request without a key',
    examples: ['4711'],
  }),
});

/** How many lookups an API key has left, in the form of ipapi.co, for clients that watch their allowance. Nothing is charged. */
export const quotaRoute = (
  app: Service,
  path: string,
  { available: availableFor, facts }: Pick<Lookups, 'available' | 'facts'>,
): void => {
  const schema = {
    operationId: 'quota',
    tags: ['service'],
    summary: 'How many lookups an API key has left',
    ...chargeSecurity(facts),
    problems: facts.apiKeys ? chargeProblems(facts) : [],
    response: {
      200: apiResponse('What is left.', {
        content: { 'application/json': Quota },
        headers: { 'Cache-Control': Type.Literal(NO_STORE) },
      }),
    },
  };
  app.get(path, { schema }, async (request, reply) => {
    const left = await availableFor(request, reply);
    const available = left === Infinity ? 'unlimited' : String(left ?? 'API key needed');
    return reply
      .headers({ ...PUBLIC_HEADERS, 'cache-control': NO_STORE, 'content-type': FORMATS.json.type })
      .serializer(JSON.stringify)
      .send({ available });
  });
};
