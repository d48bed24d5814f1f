import type { Socket } from 'node:net';
import type { RawResponse } from '@workspace/http-connections';
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
} from 'fastify';
import { methodsOf, recordMethods } from './allowed-methods.ts';
import { declaredOnly } from './declared-problems.ts';
import { commonProblems, ProblemError, type ProblemOptions, type ProblemType } from './problem-error.ts';
import { createProblemLog } from './problem-log.ts';
import { problemOfError } from './problem-of-error.ts';
import { type RenderProblem, renderProblemJson, replyWithProblem } from './problem-reply.ts';
import { rawProblemResponse } from './raw-problem-response.ts';

export interface ProblemsOptions {
  /** of requests that are not HTTP; others are logged by `request.log` */
  readonly logger: FastifyBaseLogger;
  /** the body of every problem; RFC 9457 JSON when left out */
  readonly renderProblem?: RenderProblem | undefined;
  /** whether a problem that its route does not declare becomes an internal error; for tests */
  readonly strictProblems?: boolean | undefined;
  /** called with every problem that is answered */
  readonly onProblem?: ((error: ProblemError, request: FastifyRequest) => void) | undefined;
  /** the status that was written to a connection before its request had arrived, by `Connections.end` */
  readonly statusOfEnded?: (socket: Socket) => number | undefined;
}

/** nginx's status for a client that did not wait; no client sees it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Fastify's codes for a body that it rejects. */
const BODY_ERROR = /^FST_ERR_(CTP_|ROUTE_MISSING_CONTENT_TYPE$)/;

const unreadableProblems: Readonly<Record<string, ProblemType>> = {
  ERR_HTTP_REQUEST_TIMEOUT: commonProblems['request-timeout'],
  HPE_HEADER_OVERFLOW: commonProblems['headers-too-large'],
  HPE_INVALID_VERSION: commonProblems['http-version-not-supported'],
};

/**
 * Answers every error of a Fastify with problem details and logs it: thrown errors, unknown paths (404), other methods of
 * known paths (405 with `Allow`), requests that violate their schemas.
 *
 * A Fastify gets them in two places: `fastify({ frameworkErrors: problems.frameworkErrors })` for paths that cannot be
 * read, and `problems.addTo(app)`, before the routes.
 */
export class Problems {
  readonly #options: ProblemsOptions;
  readonly #render: RenderProblem;
  readonly #log: ReturnType<typeof createProblemLog>;

  constructor(options: ProblemsOptions) {
    this.#options = options;
    this.#render = options.renderProblem ?? renderProblemJson;
    this.#log = createProblemLog(options.logger);
  }

  /** @param routerOptions those of `app`, by which paths are compared */
  addTo(app: FastifyInstance, routerOptions?: FastifyServerOptions['routerOptions']): void {
    recordMethods(app, routerOptions);
    const unmatched = (request: FastifyRequest): ProblemError => {
      const methods = methodsOf(app, request.url);
      if (methods.length === 0) return new ProblemError(commonProblems['not-found']);
      const allow = methods.join(', ');
      const detail = `Allowed: ${allow}.`;
      return new ProblemError(commonProblems['method-not-allowed'], { detail, headers: { allow } });
    };
    app.setNotFoundHandler((request, reply) => this.#reply(unmatched(request), request, reply));
    app.setErrorHandler<FastifyError>((error, request, reply) => {
      const { raw } = request;
      if (raw.destroyed && !raw.complete) {
        // Nothing reaches the client any more; the status is for the metrics.
        request.log.debug({ err: error }, 'connection closed before the request had arrived');
        return reply.code(this.#options.statusOfEnded?.(raw.socket) ?? CLIENT_CLOSED_REQUEST).send();
      }
      // Fastify checks the body before the path: an unknown path or method is the problem then.
      const isUnmatched = request.is404 && BODY_ERROR.test(error.code);
      return this.#reply(isUnmatched ? unmatched(request) : problemOfError(error), request, reply);
    });
    app.addHook('onClose', async () => this.#log.flush());
  }

  readonly frameworkErrors = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    // Fastify leaves both null here; whatever writes the problem may read them, as with any other request.
    Object.assign(request, { params: {}, query: {} });
    this.#reply(problemOfError(error), request, reply);
  };

  /** The answer to what Node could not read as HTTP, or not in time; it is logged, too. */
  unreadable(code: string | undefined): RawResponse {
    const type = unreadableProblems[code ?? ''] ?? commonProblems['bad-request'];
    this.reportUnreadable(type, code);
    return rawProblemResponse(new ProblemError(type), this.#render);
  }

  /** Logs a request that is not answered. */
  reportUnreadable(type: ProblemType, reason: string | undefined): void {
    this.#log.unreadable(type, reason);
  }

  /** The answer to a request that had begun, but had not arrived, when the service stopped. */
  interrupted(options: ProblemOptions): RawResponse {
    return rawProblemResponse(new ProblemError(commonProblems.draining, options), this.#render);
  }

  #reply(thrown: ProblemError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = this.#options.strictProblems ? declaredOnly(thrown, request) : thrown;
    this.#log.report(problem, request);
    // Fastify would close the connection after any error in a body, which `Connections` makes unnecessary. What that has said on
    // `raw` stays: the connection ends when the service stops, or when the client was not asked for the body.
    if (reply.hasHeader('connection') && !reply.raw.hasHeader('connection')) reply.removeHeader('connection');
    try {
      this.#options.onProblem?.(problem, request);
      return replyWithProblem(problem, this.#render, request, reply);
    } catch (cause) {
      // Not left to Fastify, which would end the process where the path cannot be read.
      const failure = new ProblemError(commonProblems['internal-error'], { cause });
      this.#log.report(failure, request);
      return replyWithProblem(failure, renderProblemJson, request, reply);
    }
  }
}
