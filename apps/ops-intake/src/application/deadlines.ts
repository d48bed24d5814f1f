import type { Timers } from '@workspace/service-kit';

/** Something that ends, or that is told when its time is over. */
export interface Expiring {
  readonly isOver: boolean;
  expire(): void;
}

/** Tells many things that their time is over: one timer for all of them, as all have as much. */
export class Deadlines {
  readonly #milliseconds: number;
  readonly #timers: Timers;
  /** in their order, and when the time of each is over */
  #waiting: Expiring[] = [];
  #ends: number[] = [];
  /** index of the first that was not over when it was last looked at */
  #first = 0;
  #isSet = false;

  constructor(milliseconds: number, timers: Timers) {
    this.#milliseconds = milliseconds;
    this.#timers = timers;
  }

  add(one: Expiring): void {
    this.#waiting.push(one);
    this.#ends.push(this.#timers.now() + this.#milliseconds);
    this.#dropOver();
    this.#set();
  }

  /** What is over would be kept until its deadline: thousands of times as many as are on their way. */
  #dropOver(): void {
    const waiting = this.#waiting;
    while (this.#first < waiting.length && waiting[this.#first]!.isOver) this.#first += 1;
    if (2 * this.#first < waiting.length) return;
    this.#waiting = waiting.slice(this.#first);
    this.#ends = this.#ends.slice(this.#first);
    this.#first = 0;
  }

  #set(): void {
    if (this.#isSet || this.#first === this.#waiting.length) return;
    this.#isSet = true;
    const left = Math.max(1, Math.ceil(this.#ends[this.#first]! - this.#timers.now()));
    this.#timers.setTimeout(Deadlines.#expire, left, this as Deadlines).unref();
  }

  static #expire(deadlines: Deadlines): void {
    deadlines.#isSet = false;
    const now = deadlines.#timers.now();
    while (deadlines.#first < deadlines.#waiting.length) {
      const one = deadlines.#waiting[deadlines.#first]!;
      if (!one.isOver && deadlines.#ends[deadlines.#first]! > now) break;
      deadlines.#first += 1;
      if (!one.isOver) one.expire();
    }
    deadlines.#dropOver();
    deadlines.#set();
  }
}
