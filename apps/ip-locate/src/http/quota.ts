import { Type } from '@sinclair/typebox';
import { apiResponse, type Service } from '@workspace/service-kit';
import { PUBLIC_HEADERS } from './headers.ts';
import { FORMATS } from './lookup/formats/formats.ts';
import { type ChargeFacts, chargeProblems, type Charges, chargeSecurity } from './rate-limit.ts';

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
  { charges, facts }: { charges: Pick<Charges, 'available'>; facts: ChargeFacts },
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
    const left = await charges.available(request, reply);
    const available = left === Infinity ? 'unlimited' : String(left ?? 'API key needed');
    return reply
      .headers({ ...PUBLIC_HEADERS, 'cache-control': NO_STORE, 'content-type': FORMATS.json.type })
      .serializer(JSON.stringify)
      .send({ available });
  });
};
