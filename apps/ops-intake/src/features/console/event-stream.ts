import type { ServerResponse } from 'node:http';

/** What a stream begins with. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // nginx would collect the events otherwise.
  'x-accel-buffering': 'no',
};

/** Most streams at once; a further one ends the oldest. */
const MOST_STREAMS = 20;

/**
 * Server-sent events (HTML Standard, 9.2): the same state to every open stream, once in each interval. It is computed once for
 * all, also for those that open within the interval, and not at all while no stream is open.
 */
export class EventStream {
  readonly #state: () => Promise<unknown>;
  readonly #intervalMs: number;
  readonly #streams = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  #event: Promise<string> | undefined;

  constructor(state: () => Promise<unknown>, intervalMs: number) {
    this.#state = state;
    this.#intervalMs = intervalMs;
  }

  /** Answers with a stream that begins with the current state and stays open. */
  async open(response: ServerResponse): Promise<void> {
    response.writeHead(200, EVENT_STREAM_HEADERS);
    const [oldest] = this.#streams;
    if (oldest && this.#streams.size >= MOST_STREAMS) this.#end(oldest);
    this.#streams.add(response);
    response.once('close', () => {
      this.#streams.delete(response);
      if (this.#streams.size === 0) this.#stop();
    });
    this.#timer ??= setInterval(() => {
      this.#event = undefined;
      void this.#send(this.#streams);
    }, this.#intervalMs);
    await this.#send([response]);
  }

  /** Ends every stream. */
  close(): void {
    this.#stop();
    for (const response of this.#streams) this.#end(response);
  }

  async #send(streams: Iterable<ServerResponse>): Promise<void> {
    this.#event ??= this.#state().then((state) => `data: ${JSON.stringify(state)}\n\n`);
    const event = await this.#event;
    for (const response of streams) {
      // A client that does not read misses states rather than filling memory.
      if (this.#streams.has(response) && !response.writableNeedDrain) response.write(event);
    }
  }

  /** Counts it no longer: a client that does not read would never let it end. */
  #end(response: ServerResponse): void {
    this.#streams.delete(response);
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#event = undefined;
  }
}
