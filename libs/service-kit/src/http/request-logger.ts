import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];
type Write = (...line: unknown[]) => void;

/**
 * A request's logger that costs nothing until it is used: most requests log no line, and making a pino child for each
 * of them serialises and redacts the request id every time.
 */
export class LazyLogger {
  readonly #parent: FastifyBaseLogger | LazyLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildOptions | undefined;
  #made: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger | LazyLogger, bindings: Bindings, options?: ChildOptions) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  #logger(): FastifyBaseLogger {
    const parent = this.#parent instanceof LazyLogger ? this.#parent.#logger() : this.#parent;
    return (this.#made ??= parent.child(this.#bindings, this.#options));
  }

  #write(level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', line: unknown[]): void {
    (this.#logger()[level] as Write)(...line);
  }

  get level(): string {
    return this.#parent.level;
  }
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
  child(bindings: Bindings, options?: ChildOptions): LazyLogger {
    return new LazyLogger(this, bindings, options);
  }
}
