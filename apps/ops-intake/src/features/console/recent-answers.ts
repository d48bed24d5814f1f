import type { Clock, Metrics } from '@workspace/service-process';

/** How submissions were answered over the last minutes. */
export interface RecentAnswersState {
  /** length of the window in seconds: shorter while the service has just started */
  readonly seconds: number;
  /** answers by HTTP status */
  readonly answers: Readonly<Record<string, number>>;
  /** quantiles of the time to a 202, in milliseconds; absent when there was none */
  readonly latency?: { readonly p50Ms: number; readonly p99Ms: number };
}

/** One value of the histogram `http_request_duration_seconds`. */
export interface AnswerCount {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

const HISTOGRAM = 'http_request_duration_seconds';
const WINDOW_MS = 5 * 60_000;
const INTERVAL_MS = 15_000;

interface Snapshot {
  readonly at: number;
  /** answers so far, by status */
  readonly answers: ReadonlyMap<string, number>;
  /** accepted submissions so far, by upper bound in seconds */
  readonly accepted: ReadonlyMap<number, number>;
}

/** The service's answers to POST /operations since its start; nothing without metrics. */
export const submissionAnswers = async (metrics: Metrics | undefined): Promise<readonly AnswerCount[]> => {
  const histogram = await metrics?.registry.getSingleMetric(HISTOGRAM)?.get();
  return ((histogram?.values ?? []) as AnswerCount[]).filter(
    ({ labels }) => labels['route'] === '/operations' && labels['method'] === 'POST',
  );
};

/** Answers by status. */
export const answersByStatus = (values: readonly AnswerCount[]): Record<string, number> =>
  Object.fromEntries(
    values
      .filter(({ metricName }) => metricName === `${HISTOGRAM}_count`)
      .map(({ labels, value }) => [String(labels['status']), value]),
  );

const snapshotOf = (at: number, values: readonly AnswerCount[]): Snapshot => ({
  at,
  answers: new Map(Object.entries(answersByStatus(values))),
  accepted: new Map(
    values
      .filter(({ metricName, labels }) => metricName === `${HISTOGRAM}_bucket` && labels['status'] === 202)
      .map(({ labels, value }) => [Number(String(labels['le']).replace('+Inf', 'Infinity')), value]),
  ),
});

const difference = <K>(now: ReadonlyMap<K, number>, then: ReadonlyMap<K, number>): [K, number][] =>
  [...now].map(([key, value]) => [key, value - (then.get(key) ?? 0)]);

/**
 * A quantile of a histogram, interpolated inside its bucket as Prometheus' `histogram_quantile` does.
 * @param buckets cumulative counts by upper bound, ascending, the last one infinite
 * @returns the highest finite bound for what lies above it
 */
const quantile = (share: number, buckets: readonly (readonly [number, number])[]): number => {
  const rank = share * (buckets.at(-1)?.[1] ?? 0);
  const index = buckets.findIndex(([, count]) => count >= rank);
  const [upper = 0, count = 0] = buckets[index] ?? [];
  const [lower, below] = buckets[index - 1] ?? [0, 0];
  return Number.isFinite(upper) ? lower + ((upper - lower) * (rank - below)) / (count - below) : lower;
};

/** Remembers the histogram of answers at intervals, so that the last minutes are a difference of two of its states. */
export class RecentAnswers {
  readonly #read: () => Promise<readonly AnswerCount[]>;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #snapshots: Snapshot[];

  constructor(read: () => Promise<readonly AnswerCount[]>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
    this.#snapshots = [snapshotOf(clock().getTime(), [])];
    this.#timer = setInterval(() => void this.remember(), INTERVAL_MS).unref();
  }

  /** Takes a snapshot and drops those that are older than the window. */
  async remember(): Promise<void> {
    const now = snapshotOf(this.#clock().getTime(), await this.#read());
    this.#snapshots = [...this.#snapshots.filter(({ at }) => at >= now.at - WINDOW_MS), now];
  }

  /** What was answered within the window, up to now. */
  async state(): Promise<RecentAnswersState> {
    const now = snapshotOf(this.#clock().getTime(), await this.#read());
    const oldest = this.#snapshots.find(({ at }) => at >= now.at - WINDOW_MS) ?? now;
    const accepted = difference(now.accepted, oldest.accepted);
    const hasAccepted = (accepted.at(-1)?.[1] ?? 0) > 0;
    return {
      seconds: Math.round((now.at - oldest.at) / 1_000),
      answers: Object.fromEntries(difference(now.answers, oldest.answers).filter(([, count]) => count > 0)),
      ...(hasAccepted && {
        latency: { p50Ms: quantile(0.5, accepted) * 1_000, p99Ms: quantile(0.99, accepted) * 1_000 },
      }),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
