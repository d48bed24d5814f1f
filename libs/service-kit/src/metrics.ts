import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A service's Prometheus metrics. Its own counters register on `registry`. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts and times every answer of `app`, by method, route pattern (never the raw URL) and status. */
  observe(app: FastifyInstance): void;
}

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const createMetrics = ({ name, version }: { name: string; version: string }): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'service_info',
    help: 'Always 1; the labels tell which build runs',
    labelNames: ['name', 'version'],
    registers: [registry],
  }).set({ name, version }, 1);
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request head to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  const observe = (app: FastifyInstance): void => {
    app.addHook('onResponse', (request, reply, done) => {
      duration.observe(
        { method: request.method, route: request.routeOptions.url ?? 'unmatched', status: reply.statusCode },
        reply.elapsedTime / 1000,
      );
      done();
    });
  };
  return { registry, observe };
};
