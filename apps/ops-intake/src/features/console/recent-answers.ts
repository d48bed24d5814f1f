import type { Clock, Metrics } from '@workspace/service-process';
import { type History, historyOf } from './history.ts';

/** How requests were answered over the last minutes. */
export interface RecentAnswersState {
  /** length of the window in seconds: shorter while the service has just started */
  readonly seconds: number;
  /** answers by HTTP status */
  readonly answers: Readonly<Record<string, number>>;
  /** quantiles of the time to a 202, in milliseconds; absent when there was none */
  readonly latency?: { readonly p50Ms: number; readonly p99Ms: number };
  /** over a quarter of an hour */
  readonly history: History;
}

/** One value of the histogram `http_request_duration_seconds`. */
export interface AnswerCount {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

const HISTOGRAM = 'http_request_duration_seconds';
const INTERVAL_MS = 15_000;
/** Intervals of five minutes, and of a quarter of an hour. */
const WINDOW = 20;
const HISTORY = 60;

interface Snapshot {
  readonly at: number;
  /** answers so far, by status */
  readonly answers: ReadonlyMap<string, number>;
  /** accepted submissions so far, by upper bound in seconds */
  readonly accepted: ReadonlyMap<number, number>;
}

/** Paths that people and probes ask, not clients. */
const OWN_PATH = /^\/(?:$|console|docs|health)/;

/** Whether answers of a route count: all but those of pages and probes; unknown paths and methods, too. */
export const isCounted = (route: string | undefined): boolean => !OWN_PATH.test(route ?? '');

/** The service's answers to clients since its start; nothing without metrics. */
export const clientAnswers = async (metrics: Metrics | undefined): Promise<readonly AnswerCount[]> => {
  const histogram = await metrics?.registry.getSingleMetric(HISTOGRAM)?.get();
  return ((histogram?.values ?? []) as AnswerCount[]).filter(({ labels }) =>
    isCounted(String(labels['route'])),
  );
};

/** Answers by status. */
export const answersByStatus = (values: readonly AnswerCount[]): Record<string, number> => {
  const answers: Record<string, number> = {};
  for (const { metricName, labels, value } of values) {
    const status = String(labels['status']);
    if (metricName === `${HISTOGRAM}_count`) answers[status] = (answers[status] ?? 0) + value;
  }
  return answers;
};

const snapshotOf = (at: number, values: readonly AnswerCount[]): Snapshot => ({
  at,
  answers: new Map(Object.entries(answersByStatus(values))),
  accepted: new Map(
    values
      .filter(
        ({ metricName, labels }) =>
          metricName === `${HISTOGRAM}_bucket` &&
          labels['route'] === '/operations' &&
          labels['status'] === 202,
      )
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

  /** Takes a snapshot; as many are kept as the history has intervals, whatever the clock says. */
  async remember(): Promise<void> {
    const now = snapshotOf(this.#clock().getTime(), await this.#read());
    this.#snapshots = [...this.#snapshots.slice(-HISTORY), now];
  }

  /** What was answered within the last minutes, up to now. */
  async state(): Promise<RecentAnswersState> {
    const now = snapshotOf(this.#clock().getTime(), await this.#read());
    const oldest = this.#snapshots.at(-WINDOW - 1) ?? this.#snapshots[0]!;
    const accepted = difference(now.accepted, oldest.accepted);
    const hasAccepted = (accepted.at(-1)?.[1] ?? 0) > 0;
    const sinceLast = (now.at - this.#snapshots.at(-1)!.at) / 1_000;
    return {
      seconds: Math.max(0, Math.round((now.at - oldest.at) / 1_000)),
      answers: Object.fromEntries(difference(now.answers, oldest.answers).filter(([, count]) => count > 0)),
      ...(hasAccepted && {
        latency: { p50Ms: quantile(0.5, accepted) * 1_000, p99Ms: quantile(0.99, accepted) * 1_000 },
      }),
      history: historyOf(
        [...this.#snapshots, now].map(({ answers }) => answers),
        INTERVAL_MS / 1_000,
        Math.min(INTERVAL_MS / 1_000, Math.max(1, sinceLast)),
        HISTORY,
      ),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
