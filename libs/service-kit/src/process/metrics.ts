import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { HttpDurations } from '../http/http-durations.ts';

/** A service's Prometheus metrics. Its own counters register on `registry`. */
export interface Metrics {
  readonly registry: Registry;
  /**
   * Counts and times the answer to one request, by method, route pattern (never the raw URL) and status. Call it when the
   * request arrives. An answer that is not sent to its end does not count.
   */
  observe(request: FastifyRequest, reply: FastifyReply): void;
}

export const createMetrics = ({ name, version }: { name: string; version: string }): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'service_info',
    help: 'Always 1; the labels tell which build runs',
    labelNames: ['name', 'version'],
    registers: [registry],
  }).set({ name, version }, 1);
  const durations = new HttpDurations();
  durations.registerOn(registry);

  return {
    registry,
    observe: (request, reply) => {
      const began = performance.now();
      let isCounted = false;
      // Not `onResponse`, for which Fastify adds two listeners and a closure of its own to each response; nor `once`, which
      // wraps the listener and removes it.
      reply.raw.on('finish', () => {
        // `app.inject` emits it twice.
        if (isCounted) return;
        isCounted = true;
        const { url = 'unmatched' } = request.routeOptions;
        durations.observe(request.method, url, reply.statusCode, (performance.now() - began) / 1000);
      });
    },
  };
};
