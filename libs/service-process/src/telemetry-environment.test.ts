import { Type } from '@sinclair/typebox';
import { ConfigError, readConfig } from './config.ts';
import { telemetryEnv, telemetryUrls } from './telemetry-environment.ts';

const read = (env: Record<string, string>) => readConfig(Type.Object(telemetryEnv), env);
const urls = (env: Record<string, string>) => telemetryUrls(read(env));

const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('telemetryUrls', () => {
  it.each<[string, Record<string, string>, ReturnType<typeof urls>]>([
    ['nothing without a variable', {}, {}],
    ['nothing for a name alone', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }, {}],
    [
      'both signals for an endpoint',
      BASE,
      { traces: 'http://collector:4318/v1/traces', metrics: 'http://collector:4318/v1/metrics' },
    ],
    [
      'one slash after a base that ends in one',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp/', OTEL_METRICS_EXPORTER: 'none' },
      { traces: 'https://c/otlp/v1/traces' },
    ],
    [
      'the default endpoint for an exporter alone',
      { OTEL_TRACES_EXPORTER: 'otlp' },
      { traces: 'http://localhost:4318/v1/traces' },
    ],
    [
      'a URL of one signal as it is, and that signal only',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m:9090/api/v1/otlp/v1/metrics' },
      { metrics: 'http://m:9090/api/v1/otlp/v1/metrics' },
    ],
    ['nothing when disabled', { ...BASE, OTEL_SDK_DISABLED: 'true' }, {}],
    ['nothing for none', { ...BASE, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }, {}],
  ])('gives %s', (_name, env, expected) => expect(urls(env)).toEqual(expected));

  it.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://:4318' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_TRACES_EXPORTER: 'zipkin' },
    { OTEL_TRACES_SAMPLER: 'sometimes' },
    { OTEL_TRACES_SAMPLER_ARG: '2' },
    { OTEL_RESOURCE_ATTRIBUTES: 'deployment' },
  ])('rejects %j', (env: Record<string, string>) => {
    expect(() => read(env)).toThrow(ConfigError);
    expect(() => read(env)).toThrow(Object.keys(env)[0]);
  });
});
