import type { Clock } from './clock.ts';
import type { Machine } from './machine.ts';
import type { Draw } from './random.ts';

/** How long TCP may wait with its next attempt after the network is back: as long as it waited last, at most this. */
const LONGEST_RETRANSMISSION_MS = 30_000;

/** The network between machines. A pair that is cut off from each other loses nothing: TCP delivers it later. */
export class Network {
  readonly #clock: Clock;
  readonly #draw: Draw;
  readonly #cutSince = new Map<string, number>();
  readonly #pipes = new Set<Pipe>();

  constructor(clock: Clock, draw: Draw) {
    this.#clock = clock;
    this.#draw = draw;
  }

  cut(one: Machine, other: Machine): void {
    this.#cutSince.set(pairOf(one, other), this.#clock.now);
  }

  heal(one: Machine, other: Machine): void {
    const pair = pairOf(one, other);
    const since = this.#cutSince.get(pair);
    if (since === undefined) return;
    this.#cutSince.delete(pair);
    const longest = Math.min(this.#clock.now - since, LONGEST_RETRANSMISSION_MS);
    for (const pipe of this.#pipes) {
      if (pipe.pair === pair) pipe.release(this.#draw.between(0, longest));
    }
  }

  isCut(one: Machine, other: Machine): boolean {
    return this.#cutSince.has(pairOf(one, other));
  }

  /** milliseconds that a packet takes */
  latency(): number {
    return this.#draw.chance(0.02) ? this.#draw.between(5, 200) : this.#draw.between(0.1, 2);
  }

  pipe(from: Machine, to: Machine): Pipe {
    const pair = pairOf(from, to);
    const pipe = new Pipe(
      pair,
      () => this.#cutSince.has(pair),
      this.#clock,
      () => this.latency(),
      to,
    );
    this.#pipes.add(pipe);
    return pipe;
  }

  /** A pipe on which nothing will be sent any more, unless something still waits in it. */
  forget(pipe: Pipe): void {
    if (pipe.isEmpty) this.#pipes.delete(pipe);
  }
}

const pairOf = (one: Machine, other: Machine): string => [one.name, other.name].sort().join('|');

/** One direction of a TCP connection: in order, and late when the network is cut. */
export class Pipe {
  readonly pair: string;
  readonly #isCut: () => boolean;
  readonly #clock: Clock;
  readonly #latency: () => number;
  readonly #to: Machine;
  /** written, and not on the wire yet: the kernel sends it again and again */
  #unsent: (() => void)[] = [];
  #lastAt = 0;

  constructor(pair: string, isCut: () => boolean, clock: Clock, latency: () => number, to: Machine) {
    this.pair = pair;
    this.#isCut = isCut;
    this.#clock = clock;
    this.#latency = latency;
    this.#to = to;
  }

  get isEmpty(): boolean {
    return this.#unsent.length === 0;
  }

  send(run: () => void): void {
    if (this.#isCut() || this.#unsent.length > 0) this.#unsent.push(run);
    else this.#transmit(run, this.#latency());
  }

  /** The network is back; the kernel notices at its next attempt. */
  release(delayMs: number): void {
    this.#clock.schedule(delayMs, () => {
      if (this.#isCut()) return;
      for (const run of this.#unsent.splice(0)) this.#transmit(run, this.#latency());
    });
  }

  /** The connection is reset: what has not been sent never will be. */
  reset(): void {
    this.#unsent = [];
  }

  #transmit(run: () => void, delayMs: number): void {
    const at = Math.max(this.#lastAt, this.#clock.now + delayMs);
    this.#lastAt = at;
    this.#clock.schedule(at - this.#clock.now, () => this.#to.deliver(this, run));
  }
}
