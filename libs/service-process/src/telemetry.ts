import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExportResult } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { Logger } from '@workspace/logging';
import type { Tracing } from '@workspace/service-kit';
import type { Metrics } from './metrics.ts';
import { registryProducer } from './registry-producer.ts';
import { type TelemetryConfig, type TelemetryUrls, telemetryUrls } from './telemetry-environment.ts';

/** Traces and metrics on their way to a collector. */
export interface Telemetry {
  /** undefined while traces are switched off */
  readonly tracing?: Tracing;
  /** Exports what is left, for a second at most, and stops. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly name: string;
  readonly version: string;
  readonly config: TelemetryConfig;
  /** exported over OTLP under the names that Prometheus sees */
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Longest wait for the last export: a collector that is gone must not hold up a shutdown. */
const FLUSH_MS = 1_000;

/** The SDK's default, and never longer than the interval, as it requires. */
const METRICS_TIMEOUT_MS = 30_000;

/** What closes one signal. */
type Shutdown = () => Promise<void>;

/**
 * Starts to export traces and metrics when the environment asks for it, and otherwise loads nothing: no file of
 * OpenTelemetry is imported before a variable switches it on. Call it once a process.
 */
export const openTelemetry = async (options: TelemetryOptions): Promise<Telemetry | undefined> => {
  const urls = telemetryUrls(options.config);
  if (!urls.traces && !urls.metrics) return undefined;
  const { logger } = options;
  await quieten(logger);
  const resource = await resourceOf(options);
  const traces = urls.traces ? await openTraces(options, urls.traces, resource) : undefined;
  const closeMetrics = urls.metrics ? await openMetrics(options, urls.metrics, resource) : undefined;
  logger.info(shown(urls), 'exporting telemetry');
  return {
    ...(traces && { tracing: traces.tracing }),
    close: async () => {
      const closing = Promise.allSettled([traces?.close(), closeMetrics?.()]);
      const timeout = new AbortController();
      await Promise.race([closing, sleep(FLUSH_MS, undefined, { signal: timeout.signal }).catch(() => {})]);
      timeout.abort();
    },
  };
};

/** URLs for the log, without a user or password. */
const shown = (urls: TelemetryUrls): TelemetryUrls =>
  Object.fromEntries(
    Object.entries(urls).map(([signal, url]) => {
      const { origin, pathname } = new URL(url as string);
      return [signal, origin + pathname];
    }),
  );

/** The SDK's own words are for debugging: what an operator needs to know is said once, by `reportFailures`. */
const quieten = async (logger: Logger): Promise<void> => {
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');
  const write = (message: string): void => logger.debug({ message }, 'OpenTelemetry');
  const writer = { error: write, warn: write, info: write, debug: write, verbose: write };
  if (logger.isLevelEnabled('debug')) diag.setLogger(writer, DiagLogLevel.INFO);
};

const resourceOf = async ({ name, version }: TelemetryOptions): Promise<Resource> => {
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  const own = resourceFromAttributes({
    'service.name': name,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
};

/** Says that exports fail when they begin to, and that they work again: two lines an outage, not one a request. */
const reportFailures = <T>(
  exporter: { export(items: T, done: (result: ExportResult) => void): void },
  signal: string,
  logger: Logger,
): void => {
  const send = exporter.export.bind(exporter);
  let failing = false;
  exporter.export = (items, done) =>
    send(items, (result) => {
      const failed = result.code !== 0;
      if (failed && !failing)
        logger.warn({ signal, err: result.error }, 'telemetry cannot be exported; dropping it');
      if (!failed && failing) logger.info({ signal }, 'telemetry is exported again');
      failing = failed;
      done(result);
    });
};

const samplerOf = async (config: TelemetryConfig): Promise<Sampler> => {
  const sdk = await import('@opentelemetry/sdk-trace');
  const name = config.OTEL_TRACES_SAMPLER;
  const roots = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG),
  };
  const root = roots[name.replace('parentbased_', '') as keyof typeof roots]();
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
};

const openTraces = async (
  { name, version, config, logger }: TelemetryOptions,
  url: string,
  resource: Resource,
): Promise<{ tracing: Tracing; close: Shutdown }> => {
  const api = await import('@opentelemetry/api');
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
  const { BatchSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace');

  const exporter = new OTLPTraceExporter({ url });
  reportFailures(exporter, 'traces', logger);
  const maxQueueSize = config.OTEL_BSP_MAX_QUEUE_SIZE;
  const processor = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
    maxQueueSize,
    maxExportBatchSize: Math.min(512, maxQueueSize),
  });
  const provider = new TracerProvider({
    resource,
    sampler: await samplerOf(config),
    spanProcessors: [processor],
  });
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    tracing: { api, tracer: provider.getTracer(name, version), active: new AsyncLocalStorage() },
    close: async () => {
      await provider.shutdown();
      api.propagation.disable();
    },
  };
};

const openMetrics = async (
  { name, version, config, metrics, logger }: TelemetryOptions,
  url: string,
  resource: Resource,
): Promise<Shutdown> => {
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-proto');
  const sdk = await import('@opentelemetry/sdk-metrics');
  const exporter = new OTLPMetricExporter({ url });
  reportFailures(exporter, 'metrics', logger);
  const exportIntervalMillis = config.OTEL_METRIC_EXPORT_INTERVAL;
  const reader = new sdk.PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(METRICS_TIMEOUT_MS, exportIntervalMillis),
    metricProducers: [
      registryProducer({ registry: metrics.registry, scope: { name, version }, resource, sdk }),
    ],
  });
  const provider = new sdk.MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
};
