import type { Clock } from './clock.ts';
import type { Draw } from './random.ts';

/** Clocks that are set by NTP differ from the time by this at most. */
const CLOCK_ERROR_MS = 500;

/** 2026-11-21T12:00:00Z: when simulated time begins. */
const EPOCH = Date.UTC(2026, 10, 21, 12);

/**
 * A process on a machine of its own: paused, it does nothing, and what arrives meanwhile waits for it; killed, nothing of it
 * happens any more.
 */
export class Machine {
  readonly name: string;
  readonly clock: Clock;
  readonly draw: Draw;
  /** how far its wall clock is ahead, in milliseconds */
  skewMs: number;
  /** for how long a quota keeps it from producing after each request */
  throttleMs = 0;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #waiting: { source: object | undefined; run: () => void }[] = [];
  /** told when it is killed: its kernel closes its connections */
  readonly onKilled = new Set<() => void>();
  readonly onResumed = new Set<() => void>();

  constructor(name: string, clock: Clock, draw: Draw) {
    this.name = name;
    this.clock = clock;
    this.draw = draw;
    this.skewMs = draw.between(-CLOCK_ERROR_MS, CLOCK_ERROR_MS);
  }

  get state(): 'running' | 'paused' | 'dead' {
    return this.#state;
  }

  /** milliseconds since 1970, by its own clock */
  get wallClock(): number {
    return Math.floor(EPOCH + this.clock.now + this.skewMs);
  }

  /** @param source things of the same source happen in order */
  deliver(source: object | undefined, run: () => void): void {
    if (this.#state === 'running') run();
    else if (this.#state === 'paused') this.#waiting.push({ source, run });
  }

  /** @returns cancels the timer */
  after(milliseconds: number, run: () => void): () => void {
    let isCancelled = false;
    const cancel = this.clock.schedule(milliseconds, () =>
      this.deliver(undefined, () => {
        if (!isCancelled) run();
      }),
    );
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    const waiting = this.#waiting;
    this.#waiting = [];
    // The order in which timers and sockets are served is not defined.
    const last = new Map<object, number>();
    for (const { source, run } of waiting) {
      const at = Math.max(this.draw.between(0, 3), (source && last.get(source)) ?? 0);
      if (source) last.set(source, at);
      this.clock.schedule(at, () => this.deliver(source, run));
    }
    for (const listener of this.onResumed) listener();
  }

  kill(): void {
    this.#state = 'dead';
    this.#waiting = [];
    for (const listener of this.onKilled) listener();
  }

  /** A killed one starts again, with nothing left of its past. */
  restart(): void {
    if (this.#state !== 'dead') return;
    this.#state = 'running';
    for (const listener of this.onResumed) listener();
  }
}
