/** A network that counts as one client among others around it, as text, and how many clients' shares it may use. */
export interface ClientNetwork {
  readonly network: string;
  readonly shares: number;
}

/**
 * Divides places, such as connections, among clients: each may hold as many as are free. So one client has half of them at most, and
 * `n` that take all they can leave the part `1 / (n + 1)` to others. A wider network counts as several clients.
 */
export class ClientShares {
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** How many places are taken. */
  get used(): number {
    return this.#used;
  }

  /** How many clients and networks hold places. */
  get clients(): number {
    return this.#held.size;
  }

  /**
   * Takes places for a client.
   * @param client the networks that it counts in; none: it has no bound of its own, as a trusted proxy
   * @param floor so many a client may always hold, if they are free
   * @returns what gives the places back, once; undefined when the client has its share, or all are taken
   */
  take(client: readonly ClientNetwork[], places = 1, floor = places): (() => void) | undefined {
    if (!this.hasRoom(client, places, floor)) return undefined;
    this.add(client, places);
    let isTaken = true;
    return () => {
      if (isTaken) this.add(client, -places);
      isTaken = false;
    };
  }

  /**
   * Whether a client may take these places.
   * @param spare so many places count as taken
   */
  hasRoom(client: readonly ClientNetwork[], places = 1, floor = places, spare = 0): boolean {
    const free = this.#total - this.#used - spare;
    if (places > free) return false;
    for (const { network, shares } of client) {
      if ((this.#held.get(network) ?? 0) + places > Math.max(shares * free, floor)) return false;
    }
    return true;
  }

  /** Counts places that a client has, whether or not it has room for them; fewer than 0 gives places back. */
  add(client: readonly ClientNetwork[], places: number): void {
    this.#used += places;
    for (const { network } of client) {
      const held = (this.#held.get(network) ?? 0) + places;
      if (held === 0) this.#held.delete(network);
      else this.#held.set(network, held);
    }
  }
}
