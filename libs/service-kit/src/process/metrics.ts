import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { HttpDurations } from '../http/http-durations.ts';

/** A service's Prometheus metrics. Its own counters register on `registry`. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts and times every answer of `app`'s routes, by method, route pattern (never the raw URL) and status. */
  observe(app: FastifyInstance): void;
  /** Counts one answer that belongs to no route. */
  observeUnmatched(request: FastifyRequest, reply: FastifyReply): void;
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
  const countUnmatched = durations.route('unmatched');

  return {
    registry,
    observe: (app) => {
      // A hook per route knows its pattern; asking each request for it costs more than counting does.
      app.addHook('onRoute', (route) => {
        const before = [route.onResponse ?? []].flat();
        const count = durations.route(route.url);
        route.onResponse = [
          ...before,
          (request, reply, done) => {
            count(request.method, reply.statusCode, reply.elapsedTime / 1000);
            done();
          },
        ];
      });
    },
    observeUnmatched: (request, reply) => {
      reply.raw.once('finish', () =>
        countUnmatched(request.method, reply.statusCode, reply.elapsedTime / 1000),
      );
    },
  };
};
