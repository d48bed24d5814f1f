import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];
type Write = (...line: unknown[]) => void;

/**
 * A request's logger that costs nothing until it is used: most requests log no line, and making a pino child for each
 * of them serialises and redacts the request id every time.
 */
class LazyLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildOptions;
  #child: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  #write(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', line: unknown[]): void {
    this.#child ??= this.#parent.child(this.#bindings, this.#options);
    (this.#child[level] as Write)(...line);
  }

  get level() {
    return this.#parent.level;
  }
  // Methods, not getters: Fastify looks at each of them for every request, and a look must not make the child.
  trace(...line: unknown[]): void {
    this.#write('trace', line);
  }
  debug(...line: unknown[]): void {
    this.#write('debug', line);
  }
  info(...line: unknown[]): void {
    this.#write('info', line);
  }
  warn(...line: unknown[]): void {
    this.#write('warn', line);
  }
  error(...line: unknown[]): void {
    this.#write('error', line);
  }
  fatal(...line: unknown[]): void {
    this.#write('fatal', line);
  }
  silent(): void {
    // pino's own level for saying nothing
  }
  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return this.#parent.child({ ...this.#bindings, ...bindings }, options);
  }
}

/** Fastify's `childLoggerFactory` with lazy children. */
export const lazyChildLogger: NonNullable<FastifyServerOptions['childLoggerFactory']> = (
  logger,
  bindings,
  options,
) => new LazyLogger(logger, bindings, options as ChildOptions) as unknown as FastifyBaseLogger;
