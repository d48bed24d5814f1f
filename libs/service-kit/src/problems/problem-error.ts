import { type Problem, type ProblemItem, problemType } from '@workspace/schemas';

/** A problem type (RFC 9457): its stable code, HTTP status and title. */
export interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** what a client can do about it, for documents: code may be between backticks */
  readonly advice?: string;
}

/** Defines a service's catalogue of problem types from `{ code: { status, title, advice } }`. */
export const defineProblems = <const T extends Record<string, Omit<ProblemType, 'code'>>>(catalogue: T) =>
  Object.freeze(
    Object.fromEntries(
      Object.entries(catalogue).map(([code, type]) => [code, Object.freeze({ code, ...type })]),
    ),
  ) as { readonly [Code in keyof T]: ProblemType };

/** Problem types that every service may answer with. */
export const commonProblems = defineProblems({
  'bad-request': { status: 400, title: 'Bad request', advice: 'Correct what `detail` names' },
  'invalid-request': { status: 400, title: 'Invalid request', advice: 'Correct what `errors[]` points at' },
  'malformed-json': {
    status: 400,
    title: 'Malformed JSON',
    advice: 'Correct the body; `detail` names the character',
  },
  'not-found': { status: 404, title: 'Not found', advice: 'Use a path of `/docs`' },
  'method-not-allowed': { status: 405, title: 'Method not allowed', advice: 'Use a method of `Allow`' },
  'request-timeout': { status: 408, title: 'Request timeout', advice: 'Send the request faster' },
  'body-too-large': { status: 413, title: 'Request body too large', advice: 'Send less at once' },
  'uri-too-long': { status: 414, title: 'URI too long', advice: 'Shorten the URI' },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    advice: 'Send the documented `Content-Type`',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation failed',
    advice: 'Send no `Expect` other than `100-continue`',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request header fields too large',
    advice: 'Send fewer or shorter headers',
  },
  'internal-error': {
    status: 500,
    title: 'Internal server error',
    advice: 'Report the `requestId` or time; the log has the cause',
  },
  'transfer-coding-not-implemented': {
    status: 501,
    title: 'Transfer coding not implemented',
    advice: 'Send `Transfer-Encoding: chunked`; compress by `Content-Encoding`',
  },
  draining: { status: 503, title: 'Service shutting down', advice: 'Retry after `Retry-After`' },
  'http-version-not-supported': { status: 505, title: 'HTTP version not supported', advice: 'Use HTTP/1.1' },
});

export interface ProblemOptions {
  /** what happened this time, for a person */
  detail?: string;
  errors?: ProblemItem[];
  headers?: Readonly<Record<string, string>>;
  /** further members of the problem */
  members?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** An error answer. Thrown anywhere under a route, it becomes problem details with the status of its type. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly type: ProblemType;
  readonly options: ProblemOptions;

  constructor(type: ProblemType, options: ProblemOptions = {}) {
    super(options.detail ?? type.title, { cause: options.cause });
    this.type = type;
    this.options = options;
  }

  /** What a Fastify without `Problems` answers with. */
  get statusCode(): number {
    return this.type.status;
  }
  get headers(): Readonly<Record<string, string>> {
    return this.options.headers ?? {};
  }

  /** As problem details (RFC 9457). */
  toProblem(requestId?: string): Problem {
    const { detail, errors, members } = this.options;
    return {
      type: problemType(this.type.code),
      title: this.type.title,
      status: this.type.status,
      ...(detail !== undefined && { detail }),
      ...(requestId !== undefined && { requestId }),
      ...(errors && { errors }),
      ...members,
    };
  }
}
