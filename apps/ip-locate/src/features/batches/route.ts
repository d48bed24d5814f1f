import type { IncomingMessage } from 'node:http';
import { finished, Readable } from 'node:stream';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { yieldToEventLoop } from '@workspace/http-connections';
import { apiResponse, type Service } from '@workspace/service-kit';
import { commonProblems, ProblemError } from '@workspace/service-kit/problems';
import type { LookupResult } from '../../application/locate.ts';
import { problems as coreProblems } from '../../problems.ts';
import type { Lookups } from '../../extension-points.ts';
import { PUBLIC_HEADERS } from '../../http/headers.ts';
import { enrichedLines, lineWriter } from '../../http/lookup/lines/enriched-lines.ts';
import { problemOf } from '../../http/lookup/lines/line-writer.ts';
import { type FieldName, type FieldValues, valuesOf, FieldValuesSchema } from '../../http/lookup/fields.ts';
import { FORMATS } from '../../http/lookup/formats/formats.ts';
import { MAX_ADDRESSES } from '../../http/lookup/lookup.ts';
import { fieldsOf, Query } from '../../http/lookup/query.ts';
import { lookupProblems, RecordQuery } from '../../http/lookup/schemas.ts';
import { LOCATION_PROBLEMS } from '../../http/problem.ts';
import { chargeSecurity, limitHeaders } from '../../http/rate-limit.ts';
import { problems } from './problems.ts';

/** A longer one has a problem of its own, so the schema does not limit it. */
const Batch = Type.Array(Type.String(), {
  description: `addresses, at most ${MAX_ADDRESSES}`,
  examples: [['8.8.8.8', '2001:4860:4860::8888']],
});
/** What the handler gets: a checked array, or the stream itself. */
const BatchBody = Type.Unsafe<Static<typeof Batch> | Readable>({
  content: { [FORMATS.json.type]: { schema: Batch } },
});
const Batched = Type.Array(Type.Unsafe({ anyOf: [FieldValuesSchema, LOCATION_PROBLEMS.schema] }));

/** Streams of lines, by media type; the answer has the type of the request. */
const STREAMS = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const;
type StreamType = keyof typeof STREAMS;

const STREAM_BODY: Readonly<Record<StreamType, { schema: TSchema }>> = {
  'application/x-ndjson': {
    schema: Type.String({
      description:
        'an address, or an object with an address as ip, per line; objects keep their other members, and a field whose name they use becomes geo_…',
      examples: ['"8.8.8.8"\n{"ip":"1.1.1.1","user":7}\n'],
    }),
  },
  'text/csv': {
    schema: Type.String({
      description:
        'addresses in the column ip, or in the first column; commas, semicolons or tabs between cells; rows keep their cells, and have no line breaks in them',
      examples: ['ip,user\r\n8.8.8.8,7\r\n'],
    }),
  },
};
const STREAM_CONTENT: Readonly<Record<StreamType, TSchema>> = {
  'application/x-ndjson': Type.String({
    description: 'the fields, or a problem with error: true, per line',
    examples: ['{"ip":"8.8.8.8","city":"Mountain View"}\n'],
  }),
  'text/csv': Type.String({
    description: 'the rows with a column per field and a column error',
    examples: ['ip,user,city,error\r\n8.8.8.8,7,Mountain View,\r\n'],
  }),
};

export interface BatchDeps extends Lookups {
  /** milliseconds for which an answer may go unread while its request still arrives */
  unreadMs: number;
}

/** Many addresses at once: an array of addresses or a stream of lines in, records and errors out, in the same order. */
export const batchRoute = (
  service: Service,
  path: string,
  {
    lookup,
    precisionOf,
    charge,
    chargeLines,
    largestCharge,
    clock,
    defaultFields,
    allFields,
    facts,
    unreadMs,
  }: BatchDeps,
): void => {
  const schema = {
    operationId: 'locateAll',
    tags: ['locations'],
    ...chargeSecurity(facts),
    summary: 'Where many addresses are, in their order',
    description:
      `A JSON array has up to ${MAX_ADDRESSES} addresses. NDJSON and CSV are streams of any length: the answer is written while the body ` +
      'arrives, a line for each line, so a client has to read while it sends.',
    querystring: Query,
    // Lines are checked one by one as they arrive.
    described: {
      querystring: RecordQuery,
      body: Type.Unsafe({ content: { [FORMATS.json.type]: { schema: Batch }, ...STREAM_BODY } }),
    },
    body: BatchBody,
    problems: [problems['batch-too-large'], ...lookupProblems(facts)],
    response: {
      200: apiResponse('The fields of each address, or the problem that a request for it alone would get.', {
        content: { [FORMATS.json.type]: Batched, ...STREAM_CONTENT },
        headers: { 'Cache-Control': Type.Literal('no-store'), ...limitHeaders(facts) },
      }),
    },
  };
  // A scope of its own: other routes take no streams.
  void service.register((app: Service, _options, registered) => {
    for (const type of Object.keys(STREAMS)) {
      app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
    }
    app.post(path, { schema, onRequest: requireKnownType, ...charge(lookupsIn) }, async (request, reply) => {
      const { body, query } = request;
      const time = clock();
      const fields = fieldsOf(query, { defaultFields, allFields });
      void reply.headers({ ...PUBLIC_HEADERS, 'cache-control': 'no-store' });
      if (Array.isArray(body)) {
        if (body.length > MAX_ADDRESSES) {
          throw new ProblemError(problems['batch-too-large'], {
            detail: `A batch has at most ${MAX_ADDRESSES} addresses; NDJSON and CSV have no limit.`,
          });
        }
        await yieldToEventLoop(reply.raw);
        const precision = precisionOf(request);
        const locate = (ip: string) =>
          lookup.withHostname(lookup.address(ip, query.lang, time, precision), fields);
        const items = await Promise.all(body.map((ip) => itemOf(() => locate(ip), fields)));
        return reply.header('content-type', FORMATS.json.type).serializer(JSON.stringify).send(items);
      }
      const format = STREAMS[typeOf(request) as StreamType];
      const lineFields = fieldsOf(query, { defaultFields: defaultFields.filter(isInLines), allFields });
      if (!lineFields.every(isInLines)) {
        throw new ProblemError(coreProblems['unknown-field'], {
          detail:
            'Lines have no hostname: a DNS query for each would take too long. Send arrays of addresses.',
        });
      }
      const writer = lineWriter({
        input: format,
        output: format,
        fields: lineFields,
        // The key is known once lines have been charged.
        lookUp: (ip) => lookup.address(ip, query.lang, time, precisionOf(request)),
      });
      const lines = enrichedLines(body.iterator({ destroyOnReturn: false }), {
        writer,
        before: (count) => chargeLines(request, reply, count),
        mostLines: largestCharge(request),
      });
      // The first lines decide the status: without an allowance or a database it is not 200.
      const first = await lines.next();
      void reply.header('content-type', `${typeOf(request)}; charset=utf-8`);
      return reply.send(
        first.done
          ? ''
          : Readable.from(
              resumed(first.value, readSoonEnough(lines, request.raw, unreadMs), async (problem) => {
                if (problem.type === commonProblems['body-too-large']) await arrived(request.raw);
                else closeAfter(request, reply);
                return writer.end(problem);
              }),
              { objectMode: false },
            ),
      );
    });
    registered();
  });
  service.route({
    method: ['GET', 'HEAD'],
    url: path,
    schema: { hide: true, problems: [commonProblems['method-not-allowed']] },
    // Without it, `/:name` would answer for this path.
    handler: (_request, reply) => reply.callNotFound(),
  });
};

/** What a batch costs; one that is too large has a problem of its own, and a stream is charged as its lines arrive. */
const lookupsIn = ({ body }: FastifyRequest): number =>
  Array.isArray(body) && body.length <= MAX_ADDRESSES ? body.length : 0;

/** Streams are as fast as lookups in memory; DNS servers are not. */
const isInLines = (field: FieldName): boolean => field !== 'hostname';

/** The fields, or the problem that a request for that address alone would get. */
const itemOf = async (
  locate: () => LookupResult | Promise<LookupResult>,
  fields: readonly FieldName[],
): Promise<FieldValues | Record<string, unknown>> => {
  try {
    return valuesOf(await locate(), fields);
  } catch (error) {
    return problemOf(error);
  }
};

/** @param atEnd the last line of an answer that a problem ends, such as a limit that is reached */
async function* resumed(
  first: string,
  rest: AsyncIterable<string>,
  atEnd: (problem: ProblemError) => Promise<string>,
): AsyncGenerator<string> {
  yield first;
  try {
    yield* rest;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.type.status >= 500) throw error;
    yield await atEnd(error);
  }
}

/**
 * Passes lines on. A client that sends everything before it reads would wait for this service for ever, and this service for the
 * client, once the answer fills all buffers. Then the rest of the request is read and dropped, so that the client gets to reading.
 * @throws ProblemError when the answer was not read in time
 */
async function* readSoonEnough(
  lines: AsyncGenerator<string>,
  request: IncomingMessage,
  unreadMs: number,
): AsyncGenerator<string> {
  let unread = false;
  const giveUp = (): void => {
    if (request.complete) return;
    unread = true;
    void lines.return(undefined).then(() => request.resume());
  };
  for await (const written of { [Symbol.asyncIterator]: () => ({ next: () => lines.next() }) }) {
    const timer = setTimeout(giveUp, unreadMs).unref();
    yield written;
    clearTimeout(timer);
    if (!unread) continue;
    throw new ProblemError(commonProblems['body-too-large'], {
      detail:
        `The client kept sending lines, but did not read the answer for ${unreadMs / 1000} s. Read while you send, or send fewer lines. ` +
        'Send the lines without an answer again.',
    });
  }
}

/** Resolves when a request that is being dropped has arrived, or its connection has closed. */
const arrived = (request: IncomingMessage): Promise<void> =>
  new Promise((resolve) => void finished(request, { writable: false }, () => resolve()));

/** How long a client may continue to send when its answer is complete. Closing at once could cost it the end of the answer. */
const LINGER_MS = 1_000;

/** Closes the connection of an answer that has ended before its request, once the client has had time to read it. */
const closeAfter = ({ raw: request }: FastifyRequest, { raw: response }: FastifyReply): void => {
  response.once('finish', () => {
    request.resume();
    setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  });
};

const typeOf = (request: FastifyRequest): string | undefined =>
  request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();

/** `curl -d` sends a form by default; the answer says what to send instead. */
const requireKnownType = (request: FastifyRequest, _reply: unknown, done: () => void): void => {
  const type = typeOf(request);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') {
    throw new ProblemError(commonProblems['unsupported-media-type'], {
      detail: 'Send the body uncompressed, without Content-Encoding.',
      headers: { 'accept-encoding': 'identity' },
    });
  }
  if (type === FORMATS.json.type || (type !== undefined && Object.hasOwn(STREAMS, type))) return done();
  throw new ProblemError(commonProblems['unsupported-media-type'], {
    detail:
      'Send a JSON array of addresses with the header "Content-Type: application/json", or lines as application/x-ndjson or text/csv.',
    headers: { accept: [FORMATS.json.type, ...Object.keys(STREAMS)].join(', ') },
  });
};
