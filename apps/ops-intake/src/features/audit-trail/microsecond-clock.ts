/** The clocks that Node has. */
export interface Clocks {
  /** whole milliseconds since 1970, by the clock that is synchronised: it may be set */
  wall(): number;
  /** milliseconds since any moment, to less than a microsecond; it is never set, and runs at the rate of the other */
  monotonic(): number;
}

/** As exact as a reading has to be, in milliseconds: a process that is interrupted in the middle of one tries again. */
const EXACT_MS = 0.01;
const MOST_TRIES = 5;

/**
 * Microseconds since 1970. Node shows the synchronised clock in milliseconds only, and the microseconds of a clock that is
 * never set. Both run at the same rate, so what lies between them is measured once, at the turn of a millisecond, and again
 * when the synchronised clock turns out to have been set. A measurement waits for that turn: a millisecond at most, as a rule.
 */
export const createMicrosecondClock = (clocks: Clocks): (() => number) => {
  /** what the monotonic clock has to be ahead by, and by how much that may be wrong */
  const measure = (): { offset: number; uncertainty: number } => {
    let before = clocks.monotonic();
    const began = clocks.wall();
    let wall = began;
    let after = before;
    while (wall === began) {
      before = after;
      wall = clocks.wall();
      after = clocks.monotonic();
    }
    return { offset: wall - (before + after) / 2, uncertainty: (after - before) / 2 };
  };

  const anchor = (): { offset: number; uncertainty: number } => {
    let best = measure();
    for (let tries = 1; best.uncertainty > EXACT_MS && tries < MOST_TRIES; tries++) {
      const next = measure();
      if (next.uncertainty < best.uncertainty) best = next;
    }
    return best;
  };

  let anchored = anchor();

  return () => {
    const before = clocks.monotonic();
    const wall = clocks.wall();
    const after = clocks.monotonic();
    const { offset, uncertainty } = anchored;
    // Between both readings, the synchronised clock showed this millisecond.
    const isSet = wall > after + offset + uncertainty || wall + 1 <= before + offset - uncertainty;
    if (!isSet) return Math.floor((before + offset) * 1_000);
    anchored = anchor();
    return Math.floor((clocks.monotonic() + anchored.offset) * 1_000);
  };
};
