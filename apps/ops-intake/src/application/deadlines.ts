import type { Timers } from '@workspace/service-kit';

/** Something that is told when its time is over, unless it has ended before. */
export interface Expiring {
  expire(): void;
}

/** Tells many things that their time is over: one timer for all of them, as all have as much. */
export class Deadlines {
  readonly #milliseconds: number;
  readonly #timers: Timers;
  /** when the time of each is over, in their order: a Map keeps nothing of what has left it */
  readonly #waiting = new Map<Expiring, number>();
  #isSet = false;

  constructor(milliseconds: number, timers: Timers) {
    this.#milliseconds = milliseconds;
    this.#timers = timers;
  }

  add(one: Expiring): void {
    this.#waiting.set(one, this.#timers.now() + this.#milliseconds);
    this.#set();
  }

  /** Does nothing for what was removed, or told, before. */
  remove(one: Expiring): void {
    this.#waiting.delete(one);
  }

  #set(): void {
    if (this.#isSet || this.#waiting.size === 0) return;
    this.#isSet = true;
    const [first] = this.#waiting.values();
    const left = Math.max(1, Math.ceil(first! - this.#timers.now()));
    this.#timers.setTimeout(Deadlines.#expire, left, this as Deadlines).unref();
  }

  static #expire(deadlines: Deadlines): void {
    deadlines.#isSet = false;
    const now = deadlines.#timers.now();
    for (const [one, endsAt] of deadlines.#waiting) {
      if (endsAt > now) break;
      deadlines.#waiting.delete(one);
      one.expire();
    }
    deadlines.#set();
  }
}
