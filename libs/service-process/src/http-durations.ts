import type { Metric, Registry } from 'prom-client';

const NAME = 'http_request_duration_seconds';
const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  labels: { method: string; route: string; status: number };
  /** answers per bucket, not cumulative; the last one is +Inf */
  buckets: number[];
  sum: number;
}

/**
 * The histogram of answer times. prom-client's own hashes and checks its labels at every observation, which costs a
 * tenth of a whole request; this one finds its series by the route and makes the sums when it is read.
 */
export class HttpDurations {
  readonly #series: Series[] = [];
  /** a few for each route: its methods and statuses */
  readonly #byRoute = new Map<string, Series[]>();

  /**
   * Counts one answer.
   *
   * @param route its pattern
   * @param seconds from the request head to the end of the answer
   */
  observe(method: string, route: string, status: number, seconds: number): void {
    let ofRoute = this.#byRoute.get(route);
    if (!ofRoute) this.#byRoute.set(route, (ofRoute = []));
    let series = ofRoute.find(({ labels }) => labels.status === status && labels.method === method);
    if (!series) ofRoute.push((series = this.#add({ method, route, status })));
    let index = 0;
    while (index < BOUNDS_SECONDS.length && seconds > BOUNDS_SECONDS[index]!) index += 1;
    series.buckets[index]! += 1;
    series.sum += seconds;
  }

  #add(labels: Series['labels']): Series {
    const series = { labels, buckets: new Array<number>(BOUNDS_SECONDS.length + 1).fill(0), sum: 0 };
    this.#series.push(series);
    return series;
  }

  /** Adds the histogram to `registry`. */
  registerOn(registry: Registry): void {
    const get = () =>
      Promise.resolve({
        name: NAME,
        help: 'Time from the request head to the end of the answer',
        type: 'histogram',
        aggregator: 'sum',
        values: this.#series.flatMap(valuesOf),
      });
    const reset = () => {
      for (const series of this.#series)
        Object.assign(series, { buckets: series.buckets.map(() => 0), sum: 0 });
    };
    registry.registerMetric({ name: NAME, get, reset } as unknown as Metric);
  }
}

const valuesOf = ({ labels, buckets, sum }: Series) => {
  let count = 0;
  const cumulative = buckets.map((one, index) => ({
    metricName: `${NAME}_bucket`,
    labels: { ...labels, le: BOUNDS_SECONDS[index] ?? '+Inf' },
    value: (count += one),
  }));
  return [
    ...cumulative,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
};
