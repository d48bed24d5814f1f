import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestMetrics } from '@workspace/service-kit';
import { HttpDurations } from './http-durations.ts';

/** A service's Prometheus metrics. Its own counters register on `registry`. */
export interface Metrics extends RequestMetrics {
  readonly registry: Registry;
  /** Starts a gauge that is read whenever metrics are. */
  gauge(name: string, help: string, read: () => number): void;
}

/**
 * Metrics of the process and of its answers, which are timed by method, route pattern (never the raw URL) and status. An
 * answer that is not sent to its end does not count.
 */
export const createMetrics = ({ name, version }: { name: string; version: string }): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'service_info',
    help: 'Always 1; the labels say which build runs',
    labelNames: ['name', 'version'],
    registers: [registry],
  }).set({ name, version }, 1);
  const durations = new HttpDurations();
  durations.registerOn(registry);

  return {
    registry,
    gauge: (gaugeName, help, read) => {
      new Gauge({
        name: gaugeName,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    observe: ({ method, routeOptions: { url = 'unmatched' } }, { statusCode }, milliseconds) =>
      durations.observe(method, url, statusCode, milliseconds / 1000),
  };
};
