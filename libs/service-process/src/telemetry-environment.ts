import { type Static, type TObject, Type } from '@sinclair/typebox';
import { httpUrl } from './config.ts';

const endpoint = (description: string) => Type.Optional(httpUrl(description));
const exporter = (signal: string) =>
  Type.Optional(
    Type.Union([Type.Literal('otlp'), Type.Literal('none')], {
      description: `where ${signal} go; when unset, \`otlp\` if an endpoint is set for them, else \`none\``,
    }),
  );

/**
 * OpenTelemetry's variables, as its specification names them. The exporters read further ones themselves
 * (`OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION`, `_CERTIFICATE` …).
 */
export const telemetryEnv = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(
    'base URL of an OpenTelemetry collector; switches traces and metrics over OTLP on',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint(
    'URL that takes the traces, instead of `/v1/traces` at the base',
  ),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint(
    'URL that takes the metrics, instead of `/v1/metrics` at the base',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Literal('http/protobuf', {
    default: 'http/protobuf',
    description: 'OTLP transport',
  }),
  OTEL_TRACES_EXPORTER: exporter('traces'),
  OTEL_METRICS_EXPORTER: exporter('metrics'),
  OTEL_SERVICE_NAME: Type.Optional(
    Type.String({ description: '`service.name` of traces and metrics; the name of the service when unset' }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: Type.Optional(
    Type.String({
      pattern: '^[^=,]+=[^=,]*(,[^=,]+=[^=,]*)*$',
      description: 'further attributes of the resource, `key=value` separated by commas',
    }),
  ),
  OTEL_TRACES_SAMPLER: Type.Union(
    [
      Type.Literal('always_on'),
      Type.Literal('always_off'),
      Type.Literal('traceidratio'),
      Type.Literal('parentbased_always_on'),
      Type.Literal('parentbased_always_off'),
      Type.Literal('parentbased_traceidratio'),
    ],
    { default: 'parentbased_always_on', description: 'which traces are recorded' },
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description: 'share of traces that a `traceidratio` sampler records',
  }),
  OTEL_BSP_SCHEDULE_DELAY: Type.Integer({
    default: 5_000,
    minimum: 1,
    maximum: 3_600_000,
    description: 'milliseconds between two exports of traces',
  }),
  OTEL_BSP_MAX_QUEUE_SIZE: Type.Integer({
    default: 2_048,
    minimum: 1,
    maximum: 1_000_000,
    description: 'spans that wait for export; more are dropped',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: Type.Integer({
    default: 60_000,
    minimum: 1,
    maximum: 3_600_000,
    description: 'milliseconds between two exports of metrics',
  }),
  OTEL_SDK_DISABLED: Type.Boolean({
    default: false,
    description: 'switches OpenTelemetry off, whatever else is set',
  }),
};

export type TelemetryConfig = Static<TObject<typeof telemetryEnv>>;

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** What is exported and where to: an OTLP URL for each signal that is switched on. */
export interface TelemetryUrls {
  readonly traces?: string;
  readonly metrics?: string;
}

const urlOf = (config: TelemetryConfig, signal: 'traces' | 'metrics'): string | undefined => {
  const name = signal === 'traces' ? 'TRACES' : 'METRICS';
  const own = config[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`];
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = config[`OTEL_${name}_EXPORTER`] ?? (own || base ? 'otlp' : 'none');
  if (config.OTEL_SDK_DISABLED || exporter === 'none') return undefined;
  return own ?? `${(base ?? DEFAULT_ENDPOINT).replace(/\/$/, '')}/v1/${signal}`;
};

/** Which signals an environment switches on. Without any of the variables: none. */
export const telemetryUrls = (config: TelemetryConfig): TelemetryUrls => {
  const traces = urlOf(config, 'traces');
  const metrics = urlOf(config, 'metrics');
  return { ...(traces && { traces }), ...(metrics && { metrics }) };
};
