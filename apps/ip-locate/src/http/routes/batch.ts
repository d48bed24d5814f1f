import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { apiResponse, type Clock, commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { problems } from '../../problems.ts';
import { PUBLIC_HEADERS } from '../headers.ts';
import type { Lookup } from '../lookup.ts';
import type { ChargeLookups } from '../rate-limit.ts';
import { type FieldName, type LocationRecord, recordOf, RecordSchema } from '../representations/fields.ts';
import { FORMATS } from '../representations/formats.ts';
import { problemBody } from '../representations/problem.ts';
import {
  LOCATION_PROBLEMS,
  limitHeaders,
  type LookupFacts,
  lookupProblems,
  RecordQuery,
} from '../schemas/location.ts';
import { fieldsOf, Query } from '../schemas/query.ts';

const MAX_ADDRESSES = 100;
/** A longer one has a problem of its own, so the schema does not limit it. */
const Batch = Type.Array(Type.String(), {
  description: `addresses, at most ${MAX_ADDRESSES}`,
  examples: [['8.8.8.8', '2001:4860:4860::8888']],
});
const Batched = Type.Array(Type.Unsafe({ anyOf: [RecordSchema, LOCATION_PROBLEMS.schema] }));

export interface BatchDeps {
  lookup: Lookup;
  charge: ChargeLookups;
  clock: Clock;
  defaultFields: readonly FieldName[];
  facts: LookupFacts;
}

/** Many addresses at once: an array of addresses in, an array of records and errors out, in the same order. */
export function batchRoute(
  app: Service,
  path: string,
  { lookup, charge, clock, defaultFields, facts }: BatchDeps,
): void {
  const schema = {
    operationId: 'locateAll',
    tags: ['locations'],
    summary: 'Where many addresses are, in their order',
    querystring: Query,
    described: { querystring: RecordQuery },
    body: Batch,
    problems: [problems['batch-too-large'], ...lookupProblems(facts)],
    response: {
      200: apiResponse('A record for each address, or the problem that a request for it alone would get.', {
        content: { [FORMATS.json.type]: Batched },
        headers: { 'Cache-Control': Type.Literal('no-store'), ...limitHeaders(facts) },
      }),
    },
  };
  app.post(path, { schema, onRequest: requireJson, ...charge(lookupsIn) }, (request, reply) => {
    const { body, query } = request;
    if (body.length > MAX_ADDRESSES) {
      throw new ProblemError(problems['batch-too-large'], {
        detail: `A batch has at most ${MAX_ADDRESSES} addresses.`,
      });
    }
    const time = clock();
    const fields = fieldsOf(query, defaultFields);
    const items = body.map((ip) => itemOf(() => recordOf(lookup.address(ip, query.lang, time), fields)));
    return reply
      .headers({ ...PUBLIC_HEADERS, 'content-type': FORMATS.json.type, 'cache-control': 'no-store' })
      .serializer(JSON.stringify)
      .send(items);
  });
  app.route({ method: ['GET', 'HEAD'], url: path, schema: { hide: true }, handler: methodNotAllowed });
}

/** What a batch costs; one that is too large has a problem of its own. */
const lookupsIn = ({ body }: FastifyRequest): number =>
  Array.isArray(body) && body.length <= MAX_ADDRESSES ? body.length : 0;

/** A record, or the problem that a request for that address alone would get. */
function itemOf(lookUp: () => LocationRecord): LocationRecord | Record<string, unknown> {
  try {
    return lookUp();
  } catch (error) {
    if (error instanceof ProblemError && error.kind.status < 500) return problemBody(error.toProblem());
    throw error;
  }
}

/** `curl -d` sends a form by default; the answer says what to send instead. */
function requireJson(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === FORMATS.json.type) return done();
  throw new ProblemError(commonProblems['unsupported-media-type'], {
    detail: 'Send a JSON array of addresses with the header "Content-Type: application/json".',
    headers: { accept: FORMATS.json.type },
  });
}

/** Without it, `/:view` would answer for this path. */
function methodNotAllowed(): never {
  throw new ProblemError(commonProblems['method-not-allowed'], {
    detail: 'Allowed: POST.',
    headers: { allow: 'POST' },
  });
}
