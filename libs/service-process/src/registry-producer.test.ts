import { resourceFromAttributes } from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-metrics';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { HttpDurations } from './http-durations.ts';
import { registryProducer } from './registry-producer.ts';

const collect = async (registry: Registry) => {
  const scope = { name: 'demo', version: '1' };
  const producer = registryProducer({ registry, scope, resource: resourceFromAttributes({}), sdk });
  const { resourceMetrics } = await producer.collect();
  return resourceMetrics.scopeMetrics[0]!.metrics;
};

describe('registryProducer', () => {
  it('gives the values of counters and gauges under their names, and leaves out what is no number', async () => {
    const registry = new Registry();
    const registers = [registry];
    const counter = new Counter({
      name: 'records_total',
      help: 'Records',
      labelNames: ['outcome'],
      registers,
    });
    counter.inc({ outcome: 'unknown' }, 2);
    new Gauge({ name: 'up', help: 'Up', registers }).set(1);
    new Gauge({ name: 'latency', help: 'Latency', registers }).set(NaN);
    const metrics = await collect(registry);
    expect(
      metrics.map(({ descriptor, dataPointType, dataPoints }) => [
        descriptor.name,
        descriptor.description,
        sdk.DataPointType[dataPointType],
        dataPoints.map(({ attributes, value }) => [attributes, value]),
      ]),
    ).toEqual([
      ['records_total', 'Records', 'SUM', [[{ outcome: 'unknown' }, 2]]],
      ['up', 'Up', 'GAUGE', [[{}, 1]]],
      ['latency', 'Latency', 'GAUGE', []],
    ]);
    expect(metrics[0]).toMatchObject({ isMonotonic: true, aggregationTemporality: 1 });
  });

  it('counts each bucket of a histogram alone, for each set of labels', async () => {
    const registry = new Registry();
    const histogram = new Histogram({
      name: 'seconds',
      help: 'Seconds',
      labelNames: ['route'],
      buckets: [1, 5],
      registers: [registry],
    });
    for (const seconds of [0.5, 0.5, 2, 9]) histogram.observe({ route: '/a' }, seconds);
    histogram.observe({ route: '/b' }, 5);
    const [metric] = await collect(registry);
    expect(metric!.dataPoints.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ route: '/a' }, { buckets: { boundaries: [1, 5], counts: [2, 1, 1] }, sum: 12, count: 4 }],
      [{ route: '/b' }, { buckets: { boundaries: [1, 5], counts: [0, 1, 0] }, sum: 5, count: 1 }],
    ]);
  });

  it('reads the histogram of HTTP requests', async () => {
    const registry = new Registry();
    const durations = new HttpDurations();
    durations.registerOn(registry);
    durations.observe('GET', '/x', 200, 0.003);
    const [metric] = await collect(registry);
    const [point] = metric!.dataPoints as sdk.DataPoint<sdk.Histogram>[];
    expect(point!.attributes).toEqual({ method: 'GET', route: '/x', status: 200 });
    expect(point!.value.count).toBe(1);
    expect(point!.value.buckets.counts).toHaveLength(point!.value.buckets.boundaries.length + 1);
  });
});
