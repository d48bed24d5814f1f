import { type Problem, type ProblemItem, problemType } from '@workspace/schemas';

/** A kind of refusal: its stable code, its HTTP status and its title. */
export interface RefusalKind {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/** Makes a service's catalogue of refusals out of `{ code: { status, title } }`. */
export const defineRefusals = <const T extends Record<string, { status: number; title: string }>>(
  catalogue: T,
) =>
  Object.freeze(
    Object.fromEntries(
      Object.entries(catalogue).map(([code, kind]) => [code, Object.freeze({ code, ...kind })]),
    ),
  ) as { readonly [Code in keyof T]: RefusalKind };

/** Refusals that every service may give without saying so. */
export const kitRefusals = defineRefusals({
  'bad-request': { status: 400, title: 'The request cannot be read' },
  'invalid-request': { status: 400, title: 'The request is not valid' },
  'malformed-json': { status: 400, title: 'The body is not JSON' },
  'not-found': { status: 404, title: 'There is nothing at this path' },
  'method-not-allowed': { status: 405, title: 'This path does not take this method' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'uri-too-long': { status: 414, title: 'The address is too long' },
  'unsupported-media-type': { status: 415, title: 'The body is of a type that is not taken' },
  'headers-too-large': { status: 431, title: 'The headers are too large' },
  'internal-error': { status: 500, title: 'The service failed' },
  unavailable: { status: 503, title: 'The service cannot answer now' },
});

export interface RefusalOptions {
  /** this occurrence, for a person */
  detail?: string;
  errors?: ProblemItem[];
  headers?: Readonly<Record<string, string>>;
  /** further members of the problem */
  members?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/** An answer that says no. Thrown anywhere under a route, it becomes a problem with the kind's status. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;
  readonly options: RefusalOptions;

  constructor(kind: RefusalKind, options: RefusalOptions = {}) {
    super(options.detail ?? kind.title, { cause: options.cause });
    this.kind = kind;
    this.options = options;
  }

  /** As problem details (RFC 9457). */
  toProblem(requestId?: string): Problem {
    const { detail, errors, members } = this.options;
    return {
      type: problemType(this.kind.code),
      title: this.kind.title,
      status: this.kind.status,
      ...(detail !== undefined && { detail }),
      ...(requestId !== undefined && { requestId }),
      ...(errors && { errors }),
      ...members,
    };
  }
}
