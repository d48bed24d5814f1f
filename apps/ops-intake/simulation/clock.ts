interface Event {
  at: number;
  order: number;
  run: (() => void) | undefined;
}

const isBefore = (one: Event, other: Event): boolean =>
  one.at === other.at ? one.order < other.order : one.at < other.at;

/** Simulated time: events run in order, and time passes between them only. */
export class Clock {
  #now = 0;
  #order = 0;
  /** a binary heap: the earliest event is the first */
  readonly #events: Event[] = [];

  /** milliseconds since the start */
  get now(): number {
    return this.#now;
  }

  /** @returns cancels the event */
  schedule(milliseconds: number, run: () => void): () => void {
    const event: Event = { at: this.#now + Math.max(0, milliseconds), order: (this.#order += 1), run };
    const events = this.#events;
    let index = events.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, events[parent]!)) break;
      events[index] = events[parent]!;
      index = parent;
    }
    events[index] = event;
    return () => (event.run = undefined);
  }

  /** Runs events until a time; after each, everything that awaits its results. */
  async runUntil(end: number): Promise<void> {
    for (let event = this.#events[0]; event && event.at <= end; event = this.#events[0]) {
      this.#takeFirst();
      if (!event.run) continue;
      this.#now = event.at;
      event.run();
      await new Promise(setImmediate);
    }
    this.#now = end;
  }

  #takeFirst(): void {
    const events = this.#events;
    const last = events.pop()!;
    if (events.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child += 1;
      if (!isBefore(events[child]!, last)) break;
      events[index] = events[child]!;
      index = child;
    }
    events[index] = last;
  }
}
