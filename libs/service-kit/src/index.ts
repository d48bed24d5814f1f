export { newAjv } from './http/ajv.ts';
export {
  clientAddressEnv,
  clientAddressViolations,
  clientNetwork,
  type ClientAddressConfig,
  type ClientAddressOf,
  createClientAddress,
} from './http/client-address.ts';
export {
  parseRateLimit,
  type RateLimit,
  type RateLimitConfig,
  RateLimiter,
  rateLimitEnv,
  rateLimitViolations,
} from './http/rate-limit.ts';
export { type Clock, systemClock } from './process/clock.ts';
export { ConfigError, readConfig } from './process/config.ts';
export { createDrain, type Drain } from './process/drain.ts';
export { serviceEnv, type ServiceConfig } from './process/environment.ts';
export { livenessProbe, type Readiness, readinessProbe } from './http/health-probes.ts';
export { createMetrics, type Metrics } from './process/metrics.ts';
export { apiReference, type ApiReferenceOptions } from './http/api-reference.ts';
export {
  type ApiResponses,
  apiResponse,
  type ProblemFormat,
  standardProblemFormat,
} from './http/api-responses.ts';
export { negotiate } from './http/negotiation.ts';
export { isNotModified, type Validators } from './http/not-modified.ts';
export { type RenderedProblem, type RenderProblem, renderProblemJson } from './http/problem-reply.ts';
export {
  defineProblems,
  commonProblems,
  ProblemError,
  type ProblemType,
  type ProblemOptions,
} from './http/problem-error.ts';
export { telemetryEnv } from './process/telemetry-environment.ts';
export {
  type OpenTelemetryApi,
  openTelemetry,
  type Telemetry,
  type TelemetryOptions,
  type Tracing,
} from './process/telemetry.ts';
export { run, type RunOptions, startService } from './process/run.ts';
export {
  type LastLoad,
  type NamedFile,
  type Reloadable,
  UnusableFiles,
  WatchedFiles,
  type WatchedFilesOptions,
} from './process/watched-files.ts';
export { StartupError } from './process/startup-error.ts';
export { createService, type Service, type ServiceOptions } from './http/service.ts';
