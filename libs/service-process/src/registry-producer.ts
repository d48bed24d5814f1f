import type { Attributes, HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { DataPoint, Histogram, MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';

type MetricsSdk = typeof import('@opentelemetry/sdk-metrics');
type Value = MetricValue<string> & Partial<Pick<MetricValueWithName<string>, 'metricName'>>;

export interface RegistryProducerOptions {
  readonly registry: Registry;
  /** the instrumentation scope of all metrics */
  readonly scope: { readonly name: string; readonly version: string };
  readonly resource: Resource;
  /** passed in, so that nothing loads the SDK before it is needed */
  readonly sdk: MetricsSdk;
}

const hrTimeOf = (milliseconds: number): HrTime => [
  Math.floor(milliseconds / 1_000),
  Math.round((milliseconds % 1_000) * 1e6),
];

/**
 * Gives OpenTelemetry what a Prometheus registry has, so that both show the same numbers under the same names and
 * nothing is counted twice. Counters become monotonic sums, gauges stay gauges, histograms keep their buckets; a value
 * that is no number now is left out.
 */
export const registryProducer = ({
  registry,
  scope,
  resource,
  sdk,
}: RegistryProducerOptions): MetricProducer => {
  const startTime = hrTimeOf(performance.timeOrigin);

  const metricOf = (metric: MetricObjectWithValues<Value>, endTime: HrTime): MetricData | undefined => {
    const base = {
      descriptor: { name: metric.name, description: metric.help, unit: '', valueType: 1 },
      aggregationTemporality: sdk.AggregationTemporality.CUMULATIVE,
    };
    const point = <T>(attributes: Attributes, value: T): DataPoint<T> => ({
      startTime,
      endTime,
      attributes,
      value,
    });
    const numbers = () =>
      metric.values
        .filter(({ value }) => Number.isFinite(value))
        .map(({ labels, value }) => point(labels as Attributes, value));
    switch (metric.type as unknown as string) {
      case 'counter':
        return { ...base, dataPointType: sdk.DataPointType.SUM, isMonotonic: true, dataPoints: numbers() };
      case 'gauge':
        return { ...base, dataPointType: sdk.DataPointType.GAUGE, dataPoints: numbers() };
      case 'histogram':
        return {
          ...base,
          dataPointType: sdk.DataPointType.HISTOGRAM,
          dataPoints: histogramsOf(metric).map(({ labels, value }) => point(labels, value)),
        };
      default:
        // Summaries: OpenTelemetry keeps them for old data only, and no service has one.
        return undefined;
    }
  };

  return {
    collect: async () => {
      const endTime = hrTimeOf(Date.now());
      const all = (await registry.getMetricsAsJSON()) as unknown as MetricObjectWithValues<Value>[];
      const metrics = all.map((metric) => metricOf(metric, endTime)).filter((metric) => metric !== undefined);
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
};

interface LabelledHistogram {
  labels: Attributes;
  value: Histogram;
}

/** Prometheus has a value for each bucket, cumulative; OpenTelemetry a list of buckets, each counted alone. */
const histogramsOf = ({ name, values }: MetricObjectWithValues<Value>): LabelledHistogram[] => {
  const histograms = new Map<string, LabelledHistogram & { below: number }>();
  for (const { metricName, labels, value } of values) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    let one = histograms.get(key);
    if (!one) {
      const empty = { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 };
      histograms.set(key, (one = { labels: own as Attributes, value: empty, below: 0 }));
    }
    if (metricName === `${name}_sum`) one.value.sum = value;
    else if (metricName === `${name}_count`) one.value.count = value;
    else {
      if (le !== '+Inf') one.value.buckets.boundaries.push(Number(le));
      one.value.buckets.counts.push(value - one.below);
      one.below = value;
    }
  }
  return [...histograms.values()];
};
