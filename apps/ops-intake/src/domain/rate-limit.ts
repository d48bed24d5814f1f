export interface RateLimitOptions {
  /** requests a second a client may make for ever */
  perSecond: number;
  /** requests a client may make at once after a pause */
  burst: number;
  /** most clients remembered; the longest unseen go first */
  clients: number;
}

/** Asks for one more request of a client; 0 when it may be made, else the milliseconds after which it may. */
export type RateLimit = (client: string, now: Date) => number;

/**
 * A token bucket per client, kept as one number: the instant at which its bucket will be full again (GCRA). Clients
 * whose buckets are full need no memory, so forgetting the longest unseen costs next to nothing.
 */
export const createRateLimit = ({ perSecond, burst, clients }: RateLimitOptions): RateLimit => {
  const spacingMs = 1_000 / perSecond;
  const fullAt = new Map<string, number>();
  return (client, now) => {
    const time = now.getTime();
    const next = Math.max(fullAt.get(client) ?? time, time) + spacingMs;
    const waitMs = next - time - burst * spacingMs;
    if (waitMs > 0) return waitMs;
    fullAt.delete(client);
    fullAt.set(client, next);
    if (fullAt.size > clients) fullAt.delete(fullAt.keys().next().value as string);
    return 0;
  };
};
