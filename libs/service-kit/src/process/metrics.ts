import { Gauge, Registry } from 'prom-client';
import collectEventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import collectHeapSizes from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import collectHeapSpaces from 'prom-client/lib/metrics/heapSpacesSizeAndUsed.js';
import collectMemory from 'prom-client/lib/metrics/osMemoryHeap.js';
import collectCpu from 'prom-client/lib/metrics/processCpuTotal.js';
import collectHandles from 'prom-client/lib/metrics/processHandles.js';
import collectFileDescriptorLimit from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import collectFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import collectRequests from 'prom-client/lib/metrics/processRequests.js';
import collectResources from 'prom-client/lib/metrics/processResources.js';
import collectStartTime from 'prom-client/lib/metrics/processStartTime.js';
import collectVersion from 'prom-client/lib/metrics/version.js';
import type { RequestMetrics } from '../http/service.ts';
import { observeGarbageCollections } from './garbage-collections.ts';
import { HttpDurations } from './http-durations.ts';

/** prom-client's default metrics but for that of garbage collections. */
const COLLECTORS = [
  collectCpu,
  collectStartTime,
  collectMemory,
  collectFileDescriptors,
  collectFileDescriptorLimit,
  collectEventLoopLag,
  collectResources,
  collectHandles,
  collectRequests,
  collectHeapSizes,
  collectHeapSpaces,
  collectVersion,
];

/** A service's Prometheus metrics. Its own counters register on `registry`. */
export interface Metrics extends RequestMetrics {
  readonly registry: Registry;
}

/**
 * Metrics of the process and of its answers, which are timed by method, route pattern (never the raw URL) and status. An
 * answer that is not sent to its end does not count.
 */
export const createMetrics = ({ name, version }: { name: string; version: string }): Metrics => {
  const registry = new Registry();
  for (const collect of COLLECTORS) collect(registry, { eventLoopMonitoringPrecision: 10 });
  observeGarbageCollections(registry);
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
    observe: ({ method, routeOptions: { url = 'unmatched' } }, { statusCode }, milliseconds) =>
      durations.observe(method, url, statusCode, milliseconds / 1000),
  };
};
