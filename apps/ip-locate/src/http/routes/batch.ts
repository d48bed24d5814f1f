import { PUBLIC_HEADERS } from '../views/headers.ts';
import { Type } from '@sinclair/typebox';
import { commonProblems, ProblemError, type Service } from '@workspace/service-kit';
import { type FieldName, type LocationRecord, recordOf } from '../domain/fields.ts';
import type { Language } from '../domain/language.ts';
import { problems } from '../problems.ts';
import { FORMATS } from '../views/formats.ts';
import { problemBody } from '../views/problem.ts';
import type { Lookup } from './lookup.ts';
import { fieldsOf, Query } from './query.ts';
import type { Charge } from './rate-limit.ts';

const LIMIT = 100;
/** More is refused by its own name, not by the schema. */
export const Batch = Type.Array(Type.String(), { description: `addresses, at most ${LIMIT}` });
const schema = { querystring: Query, body: Batch };

export interface BatchOptions {
  lookup: Lookup;
  charge?: Charge;
}

/** Many addresses at once: an array of texts in, an array of records or errors out, in the same order. */
export function batchRoutes(app: Service, { lookup, charge }: BatchOptions): void {
  app.post('/batch', { schema }, (request, reply) => {
    const { body, query } = request;
    if (body.length > LIMIT) {
      throw new ProblemError(problems['batch-too-large'], {
        detail: `A batch has at most ${LIMIT} addresses.`,
      });
    }
    charge?.(request, body.length);
    const fields = fieldsOf(query);
    const items = body.map((text) => one(lookup, text, query.lang ?? 'en', fields));
    return reply
      .headers({ ...PUBLIC_HEADERS, 'content-type': FORMATS.json.type, 'cache-control': 'no-store' })
      .serializer(JSON.stringify)
      .send(items);
  });
  rejectOthers(app);
}

/** Else `/:name` would take the path for a view it does not know. */
function rejectOthers(app: Service): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/batch',
    handler: () => {
      const detail = 'Allowed: POST.';
      throw new ProblemError(commonProblems['method-not-allowed'], { detail, headers: { allow: 'POST' } });
    },
  });
}

/** A record, or what a request for that address alone would have been refused with. */
function one(
  lookup: Lookup,
  text: string,
  language: Language,
  fields: readonly FieldName[],
): LocationRecord | Record<string, unknown> {
  try {
    return recordOf(lookup.find(lookup.address(text), language), fields);
  } catch (error) {
    if (error instanceof ProblemError && error.kind.status < 500) return problemBody(error.toProblem());
    throw error;
  }
}
