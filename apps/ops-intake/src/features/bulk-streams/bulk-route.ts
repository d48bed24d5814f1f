import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientShares, type Drain } from '@workspace/http-connections';
import type { Service } from '@workspace/service-kit';
import { ProblemError } from '@workspace/service-kit/problems';
import type { Timers } from '@workspace/service-process';
import { problems } from '../../problems.ts';
import { clientOf, clientsOf } from '../../http/admission/admission.ts';
import { streamRecords } from './stream-records.ts';
import type { Submitting } from '../../http/submit/submit-route.ts';
import { traceContext } from '../../http/submit/trace-context.ts';
import type { BulkMembers } from './bulk-line.ts';
import { bulkProblems } from './problems.ts';
import { NDJSON, type bulkSchema } from './bulk-schema.ts';
import { type BulkLimits, BulkSession, draining, notTried } from './bulk-session.ts';

/** Counts what streams do. */
export interface BulkObserver {
  /** A line was answered with this status. */
  lineAnswered(status: number): void;
  /** So many streams are open now. */
  streamsOpen(count: number): void;
}

export interface BulkRouteOptions extends Submitting {
  readonly schema: ReturnType<typeof bulkSchema>;
  readonly limits: BulkLimits;
  /** most streams at once */
  readonly streams: number;
  readonly members: BulkMembers;
  readonly drain: Drain;
  readonly timers: Timers;
  readonly observer?: BulkObserver | undefined;
}

/** How often who submits is checked again: a stream may outlive its token. */
const CHECK_MS = 10_000;

/** POST /operations/batch: a stream of submissions, each a record; answered line by line. */
export const bulkRoute = (service: Service, path: string, options: BulkRouteOptions): void => {
  const { admission, drain, timers, limits, observer, onRejected } = options;
  const { authentication, rateLimiter } = admission;
  const { budget } = options.body;
  const open = new Set<BulkSession>();
  const shares = new ClientShares(options.streams);
  drain.onStart(() => {
    for (const session of open) session.end(draining());
  });

  /** @returns what frees what the stream has taken */
  const admit = (request: FastifyRequest): (() => void) => {
    if (drain.draining) throw draining();
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      throw new ProblemError(problems['unsupported-content-encoding'], {
        detail: 'A stream must not have a Content-Encoding.',
        headers: { 'accept-encoding': 'identity' },
      });
    }
    // What it holds counts as a body, whatever the length of the whole.
    const release = shares.take(clientsOf(request, admission));
    if (!release) {
      throw notTried(
        bulkProblems['too-many-streams'],
        `At most ${options.streams} are served at the same time, and as many of one client as are free.`,
      );
    }
    if (budget.count(request, limits.bytes)) return release;
    release();
    throw notTried(problems['queue-full']);
  };

  const checkAgain = (request: FastifyRequest, reply: FastifyReply) => {
    let checkedAt = timers.now();
    return (): Promise<void> | undefined => {
      if (!authentication || timers.now() - checkedAt < CHECK_MS) return undefined;
      checkedAt = timers.now();
      return new Promise((resolve, reject) =>
        authentication.hook(request, reply, (error) => (error ? reject(error) : resolve())),
      );
    };
  };

  const sessionOf = (request: FastifyRequest, reply: FastifyReply): BulkSession => {
    const identity = authentication?.identityOf(request.raw);
    const client = clientOf(request, admission);
    const trace = traceContext(request.headers, options.fillRandomly);
    const toRecord = streamRecords();
    return new BulkSession(request.raw, {
      ...options,
      schema: request.headers['operation-schema']?.toString(),
      principal: identity?.principal,
      submitOf: ({ key, partitionKey, sequence }, submission, now) => ({
        submission,
        now,
        idempotencyKey: key,
        partitionKey,
        sequence,
        principal: identity?.principal,
        authType: identity?.type,
        recordHeaders: options.recordHeaders?.of(request, submission.bytes),
        trace,
        toRecord,
      }),
      charge: rateLimiter && (() => rateLimiter.charge(reply, client)),
      check: checkAgain(request, reply),
      onAnswered: (status, operations) => {
        if (operations > 0) options.onAccepted?.(operations);
        observer?.lineAnswered(status);
      },
      onProblem:
        onRejected &&
        ((problem, { number, key, partitionKey, sequence, bytes }) =>
          onRejected(problem, request, { line: number, idempotencyKey: key, partitionKey, sequence, bytes })),
      onFailure: (error) => request.log.error({ err: error }, 'submission of a stream failed'),
    });
  };

  // A scope of its own: other routes take no streams.
  void service.register((app: Service, _options, registered) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(NDJSON, (_request, _payload, done) => done(null));
    const onRequest = authentication ? [authentication.hook] : [];
    app.post(path, { schema: options.schema, onRequest }, async (request, reply) => {
      const release = admit(request);
      const session = sessionOf(request, reply);
      open.add(session);
      observer?.streamsOpen(open.size);
      // It counts until nothing of it is on its way, also when its client has gone.
      const closed = new Promise<void>((resolve) => {
        // While its token was checked.
        if (reply.raw.closed) resolve();
        else reply.raw.once('close', resolve);
      });
      const over = closed.then(async () => {
        session.leave();
        await session.idle();
        open.delete(session);
        release();
        observer?.streamsOpen(open.size);
      });
      void budget.during(request, over);
      void reply
        .header('content-type', `${NDJSON}; charset=utf-8`)
        .header('cache-control', 'no-store')
        .send(Readable.from(session.answers(), { objectMode: false }));
      // Before the first answer: from now on, the end of the stream is reported in the stream.
      reply.raw.flushHeaders();
      return reply;
    });
    registered();
  });
};
